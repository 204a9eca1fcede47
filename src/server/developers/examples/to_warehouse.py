"""Writes what has changed in the team since the last run: a folder with a file of NDJSON for each table."""

import json
import os
from datetime import datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from pathlib import Path

from team_customer_api_client import Client

with open(".env") as file:
    settings = dict(line.strip().split("=", 1) for line in file if "=" in line)
api = Client(key=settings["API_KEY"], base_url=settings["BASE_URL"])
lists = {"users": api.users, "trainings": api.trainings, "assignments": api.assignments, "cases": api.cases}
lists.update(deals=api.crm.deals, objections=api.crm.objections)
dimensions = "closing conversation_control needs_analysis objection_handling value_argument".split()
columns = {
    "users": "id user_id email name external_id role status joined_at updated_at".split(),
    "trainings": "id user_id assignment_id status source created_at finished_at duration_s situation_id personality_id"
    " industry_id role_id external_ref updated_at total goal strongest biggest_lever tips".split()
    + dimensions,
    "assignments": "id member_user_id member_email status title note due_date focus_dimension situation_id"
    " personality_id industry_id completed_training_id created_at updated_at".split(),
    "cases": "id user_id title persona_id fields external_ref created_at updated_at".split(),
    "deals": "id external_id owner_user_id outcome title amount currency close_date probability pipeline_id stage_id"
    " industry_id lost_reason last_activity_at synced_at updated_at".split(),
    "objections": "id deal_id category text lang created_at updated_at".split(),
}
warehouse = Path("warehouse")
warehouse.mkdir(exist_ok=True)
state_file = warehouse / "state.json"
state = json.loads(state_file.read_text()) if state_file.exists() else {"since": {}, "people": {}}
people = dict(state["people"])  # the user id of each member


def flat(row, names):
    """The row with the same columns in the same order as every row of its table."""
    evaluation = row.get("evaluation") or {}
    score = evaluation.get("score") or {}
    found = {**row, **evaluation, **score, **score.get("dimensions", {}), "id": row["id"], "user_id": row.get("user_id")}
    values = [found.get(name) for name in names]
    # Objects and lists have no fixed fields, so they are JSON within a text.
    return dict(zip(names, [json.dumps(one) if isinstance(one, (dict, list)) else one for one in values]))


def write(file, name, **query):
    answers = []
    more = {"include": "evaluation"} if name == "trainings" else {}
    for row in lists[name].list(limit=200, on_answer=answers.append, **query, **more):
        if name == "users":
            people[row["id"]] = row["user_id"]
        file.write(json.dumps(flat(row, columns[name])) + "\n")
    return parsedate_to_datetime(answers[0].headers["Date"])  # by the clock of the service


since = state["since"]
unfinished = warehouse / "unfinished"
unfinished.mkdir(exist_ok=True)
with open(unfinished / "deletions.ndjson", "w") as deletions:
    for name in lists:
        with open(unfinished / f"{name}.ndjson", "w") as file:
            started = write(file, name, updated_since=since.get(name))
            if name in since:
                for gone in api.deletions.list(resource=name, since=since[name], limit=200):
                    people.pop(gone["id"], None)
                    deletions.write(json.dumps({"list": name, "id": gone["id"]}) + "\n")
            if name == "trainings" and state["people"]:
                # The trainings of people who come back keep their times.
                for user_id in set(people.values()) - set(state["people"].values()) - {None}:
                    write(file, name, user_id=user_id)
        since[name] = (started - timedelta(minutes=5)).isoformat()

finished = warehouse / datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%S%fZ")
os.replace(unfinished, finished)
(warehouse / "state.part").write_text(json.dumps({"since": since, "people": people}))
os.replace(warehouse / "state.part", state_file)
print(finished)
