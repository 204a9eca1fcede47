SET LOCAL lock_timeout = '3s';

-- CreateTable
CREATE TABLE "event_feed" (
    "tenant_id" UUID NOT NULL,
    "last_position" BIGINT NOT NULL DEFAULT 0,
    "history_position" BIGINT NOT NULL DEFAULT -1099511627776,
    "history_after" UUID,
    "history_until" UUID,

    CONSTRAINT "event_feed_pkey" PRIMARY KEY ("tenant_id")
);

-- CreateTable
CREATE TABLE "event_feed_entry" (
    "tenant_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "position" BIGINT,

    CONSTRAINT "event_feed_entry_pkey" PRIMARY KEY ("tenant_id","event_id")
);

-- CreateIndex
CREATE INDEX "event_feed_entry_tenant_id_position_event_id_idx" ON "event_feed_entry"("tenant_id", "position", "event_id");

-- By hand ────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- Entries are written once, get their position once, and go with their event.
ALTER TABLE "event_feed_entry" SET (autovacuum_vacuum_scale_factor = 0.02);

-- Enters a new event in the feed of its team, if the team has read its feed before. A trigger does this and not the service, so that
-- events of processes of the former version are entered too. It costs teams without a feed one look at a small index.
CREATE FUNCTION enter_event_in_feed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO event_feed_entry (tenant_id, event_id, type)
    SELECT NEW.tenant_id, NEW.id, NEW.type FROM event_feed WHERE tenant_id = NEW.tenant_id;
    RETURN NULL;
END
$$;

CREATE TRIGGER "webhook_event_entered" AFTER INSERT ON "webhook_event"
    FOR EACH ROW EXECUTE FUNCTION enter_event_in_feed();
