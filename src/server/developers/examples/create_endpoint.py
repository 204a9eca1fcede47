import json
import urllib.request

settings = dict(line.strip().split("=", 1) for line in open(".env") if "=" in line)
request = urllib.request.Request(
    settings["BASE_URL"] + "/webhook-endpoints",
    data=json.dumps({"url": settings["RECEIVER_URL"], "events": ["training.completed", "evaluation.completed"]}).encode(),
    headers={"Authorization": "Bearer " + settings["API_KEY"], "Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as answer:
    endpoint = json.load(answer)

# Only this answer has the secret.
with open(".env", "a") as file:
    file.write(f"\nENDPOINT_ID={endpoint['id']}\nWEBHOOK_SECRETS={endpoint['secret']}\n")
print(f"Created the endpoint {endpoint['id']}. Its secret is in .env.")
