-- psql runs this in a folder that to_warehouse.py has written. It may run twice.
\set ON_ERROR_STOP on
begin;
set local client_min_messages = warning;
-- A schema of its own: your database may have tables with these names.
create schema if not exists training_warehouse;
set local search_path = training_warehouse;
create table if not exists users (id text primary key, user_id text, email text, name text, external_id text, role text,
  status text, joined_at timestamptz, updated_at timestamptz);
create table if not exists trainings (id text primary key, user_id text, assignment_id text, status text, source text,
  created_at timestamptz, finished_at timestamptz, duration_s integer, situation_id text, personality_id text,
  industry_id text, role_id text, external_ref text, updated_at timestamptz, total integer, goal text, strongest text,
  biggest_lever text, tips text, closing integer, conversation_control integer, needs_analysis integer,
  objection_handling integer, value_argument integer);
create table if not exists assignments (id text primary key, member_user_id text, member_email text, status text,
  title text, note text, due_date date, focus_dimension text, situation_id text, personality_id text, industry_id text,
  completed_training_id text, created_at timestamptz, updated_at timestamptz);
create table if not exists cases (id text primary key, user_id text, title text, persona_id text, fields text,
  external_ref text, created_at timestamptz, updated_at timestamptz);
create table if not exists deals (id text primary key, external_id text, owner_user_id text, outcome text, title text,
  amount numeric, currency text, close_date date, probability integer, pipeline_id text, stage_id text,
  industry_id text, lost_reason text, last_activity_at timestamptz, synced_at timestamptz, updated_at timestamptz);
create table if not exists objections (id text primary key, deal_id text, category text, text text, lang text,
  created_at timestamptz, updated_at timestamptz);

create temporary table line (number bigserial, list text, json jsonb) on commit drop;
-- JSON contains no control characters, so that each line is one value.
\copy line (json) from 'users.ndjson' (format csv, quote e'\x01', delimiter e'\x02')
update line set list = 'users' where list is null;
\copy line (json) from 'trainings.ndjson' (format csv, quote e'\x01', delimiter e'\x02')
update line set list = 'trainings' where list is null;
\copy line (json) from 'assignments.ndjson' (format csv, quote e'\x01', delimiter e'\x02')
update line set list = 'assignments' where list is null;
\copy line (json) from 'cases.ndjson' (format csv, quote e'\x01', delimiter e'\x02')
update line set list = 'cases' where list is null;
\copy line (json) from 'deals.ndjson' (format csv, quote e'\x01', delimiter e'\x02')
update line set list = 'deals' where list is null;
\copy line (json) from 'objections.ndjson' (format csv, quote e'\x01', delimiter e'\x02')
update line set list = 'objections' where list is null;
create temporary table gone (json jsonb) on commit drop;
\copy gone from 'deletions.ndjson' (format csv, quote e'\x01', delimiter e'\x02')

do $$
declare
  listed text;
begin
  foreach listed in array array['users', 'trainings', 'assignments', 'cases', 'deals', 'objections'] loop
    -- A row may be in the file twice, and a folder may be loaded twice. The newest state of a row is kept.
    execute format(
      'delete from %1$I old using line where line.list = %1$L and old.id = line.json ->> ''id''
          and old.updated_at <= (line.json ->> ''updated_at'')::timestamptz', listed);
    execute format(
      'insert into %1$I
       select distinct on (line.json ->> ''id'') new.*
         from line cross join jsonb_populate_record(null::%1$I, line.json) new where line.list = %1$L
        order by line.json ->> ''id'', number desc
       on conflict do nothing', listed);
    execute format(
      'delete from %1$I old using gone where gone.json ->> ''list'' = %1$L and old.id = gone.json ->> ''id''', listed);
  end loop;
end $$;
-- Trainings belong to the copy while their person is in the team.
delete from trainings where user_id not in (select user_id from users where user_id is not null);
commit;
