from team_customer_api_client import ApiError, Client

with open(".env") as file:
    settings = dict(line.strip().split("=", 1) for line in file if "=" in line)
api = Client(key=settings["API_KEY"], base_url=settings["BASE_URL"])

try:
    # Each page is requested when the loop reaches it, with the evaluations of its trainings.
    for training in api.trainings.list(status="scored", include="evaluation", limit=200):
        evaluation = training.get("evaluation")
        if evaluation:
            tips = evaluation["tips"]
            print(training["id"], evaluation["score"]["total"], tips[0]["rewrite"] if tips else "")
except ApiError as error:
    if error.code != "privacy_restricted":
        raise
    print("The team shares no details about people.", error.request_id)
