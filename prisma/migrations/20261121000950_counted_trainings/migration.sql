-- By hand ────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- What a training and its evaluation count for in the team's storage, like assignments and cases.
CREATE FUNCTION stored_bytes(row_of "training") RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT 512 + coalesce(octet_length(row_of."external_ref"::text), 0)
$$;

CREATE FUNCTION stored_bytes(row_of "evaluation") RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT 512 + octet_length(row_of."tips"::text) + coalesce(octet_length(row_of."strongest"), 0)
        + coalesce(octet_length(row_of."biggest_lever"), 0)
$$;

-- What is there already counts. A team that is beyond its quota now can store nothing more until it deletes something or its plan changes.
UPDATE "team_usage" SET "bytes" = "team_usage"."bytes" + found."bytes"
  FROM (SELECT "tenant_id", sum("bytes") AS "bytes"
          FROM (SELECT "tenant_id", stored_bytes(t) AS "bytes" FROM "training" t
                UNION ALL
                SELECT "tenant_id", stored_bytes(e) FROM "evaluation" e) AS stored
         GROUP BY "tenant_id") AS found
 WHERE "team_usage"."tenant_id" = found."tenant_id" AND "team_usage"."kind" = 'stored';
