import json
import time
import urllib.request

settings = dict(line.strip().split("=", 1) for line in open(".env") if "=" in line)
endpoint = settings["BASE_URL"] + "/webhook-endpoints/" + settings["ENDPOINT_ID"]


def call(url, method="GET"):
    request = urllib.request.Request(url, method=method, headers={"Authorization": "Bearer " + settings["API_KEY"]})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


call(endpoint + "/test", "POST")
for _ in range(20):
    delivery = call(endpoint + "/deliveries")["data"][0]
    if delivery["status"] != "pending":
        print(f"The delivery is {delivery['status']}:", delivery)
        break
    time.sleep(0.5)
