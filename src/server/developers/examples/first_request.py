import json
import urllib.request

settings = dict(line.strip().split("=", 1) for line in open(".env") if "=" in line)
request = urllib.request.Request(settings["BASE_URL"] + "/me", headers={"Authorization": "Bearer " + settings["API_KEY"]})
with urllib.request.urlopen(request) as answer:
    print(answer.status, json.load(answer))
