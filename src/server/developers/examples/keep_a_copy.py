import json
import sqlite3
from datetime import timedelta
from email.utils import parsedate_to_datetime

from team_customer_api_client import Client

with open(".env") as file:
    settings = dict(line.strip().split("=", 1) for line in file if "=" in line)
api = Client(key=settings["API_KEY"], base_url=settings["BASE_URL"])
lists = {"users": api.users, "trainings": api.trainings, "assignments": api.assignments, "cases": api.cases}
lists.update(deals=api.crm.deals, objections=api.crm.objections)
copy = sqlite3.connect("copy.sqlite")
copy.executescript(
    """create table if not exists row (list text, id text, user_id text, json text, primary key (list, id));
    create table if not exists progress (list text primary key, since text)"""
)
PEOPLE = "select user_id from row where list = 'users' and user_id is not null"


def store(name, **query):
    answers = []
    more = {"include": "evaluation"} if name == "trainings" else {}
    for row in lists[name].list(limit=200, on_answer=answers.append, **query, **more):
        values = [name, row["id"], row.get("user_id"), json.dumps(row)]
        copy.execute("insert or replace into row values (?, ?, ?, ?)", values)
    return parsedate_to_datetime(answers[0].headers["Date"])  # by the clock of the service


with copy:  # one transaction: a run is stored as a whole, or not at all
    known = copy.execute(PEOPLE).fetchall()
    for name in lists:
        [since] = copy.execute("select max(since) from progress where list = ?", [name]).fetchone()
        started = store(name, updated_since=since)
        if since:
            gone = api.deletions.list(resource=name, since=since, limit=200)
            copy.executemany("delete from row where list = ? and id = ?", [(name, row["id"]) for row in gone])
        next_since = (started - timedelta(minutes=5)).isoformat()
        copy.execute("insert or replace into progress values (?, ?)", [name, next_since])
    # Trainings are listed while their person is in the team. They keep their times when the person comes back.
    copy.execute(f"delete from row where list = 'trainings' and user_id not in ({PEOPLE})")
    for person in copy.execute(PEOPLE).fetchall() if known else []:
        if person not in known:
            store("trainings", user_id=person[0])
copy.close()
