-- A store of schema version 1, as pg_dump --inserts wrote it: read by tests/sql/migration_test.cc. Never changed.
CREATE SCHEMA stored_v1;
CREATE TABLE stored_v1.turnlog_event (
    lane integer NOT NULL,
    conv uuid NOT NULL,
    seq bigint NOT NULL,
    kind smallint,
    state smallint,
    turn bigint,
    tag bigint,
    checksum bigint,
    parts integer,
    payload bytea
);
ALTER TABLE ONLY stored_v1.turnlog_event ALTER COLUMN payload SET STORAGE EXTERNAL;
CREATE TABLE stored_v1.turnlog_event_id (
    lane integer NOT NULL,
    conv uuid NOT NULL,
    id uuid NOT NULL,
    seq bigint
);
CREATE TABLE stored_v1.turnlog_feed (
    lane integer NOT NULL,
    pos bigint NOT NULL,
    conv uuid,
    first_seq bigint,
    events bigint,
    tag bigint
);
CREATE TABLE stored_v1.turnlog_head (
    lane integer NOT NULL,
    conv uuid NOT NULL,
    name bytea,
    last_seq bigint,
    turns bigint,
    bytes bigint,
    repairs bigint,
    first_time bigint,
    last_time bigint,
    tag bigint,
    open bytea
)
WITH (fillfactor='50');
CREATE TABLE stored_v1.turnlog_inquiry (
    lane integer NOT NULL,
    conv uuid NOT NULL,
    id uuid NOT NULL,
    first_seq bigint NOT NULL,
    turn bigint,
    request bigint,
    response bigint
);
CREATE TABLE stored_v1.turnlog_lane (
    lane integer NOT NULL,
    pos bigint,
    tag bigint
)
WITH (fillfactor='10');
CREATE TABLE stored_v1.turnlog_part (
    lane integer NOT NULL,
    conv uuid NOT NULL,
    seq bigint NOT NULL,
    part integer NOT NULL,
    payload bytea
);
ALTER TABLE ONLY stored_v1.turnlog_part ALTER COLUMN payload SET STORAGE EXTERNAL;
CREATE TABLE stored_v1.turnlog_pending (
    lane integer NOT NULL,
    conv uuid NOT NULL
);
CREATE TABLE stored_v1.turnlog_repair (
    lane integer NOT NULL,
    conv uuid NOT NULL,
    seq bigint NOT NULL,
    from_seq bigint,
    to_seq bigint
);
CREATE TABLE stored_v1.turnlog_store (
    one smallint NOT NULL,
    version integer,
    lanes integer,
    store uuid,
    unpurged bigint
);
CREATE TABLE stored_v1.turnlog_turn (
    lane integer NOT NULL,
    conv uuid NOT NULL,
    turn bigint NOT NULL,
    seq bigint
);
CREATE TABLE stored_v1.turnlog_watermark (
    lane integer NOT NULL,
    conv uuid NOT NULL,
    consumer bytea NOT NULL,
    head bigint,
    state bytea
);
ALTER TABLE ONLY stored_v1.turnlog_watermark ALTER COLUMN state SET STORAGE EXTERNAL;
INSERT INTO stored_v1.turnlog_event VALUES (17, 'b6cac4b3-a086-39a6-96f4-437fde5c3f91', 1, 2, 0, 0, 4004627372483813213, -8055721112594282521, 0, '\x10000000544c453108000e000700080008000000000000020c00000000000600080004000600000004000000050000006f74686572000000');
INSERT INTO stored_v1.turnlog_event VALUES (41, '26c690b4-a9a1-479e-300a-f4ffc7944a29', 1, 1, 0, 1, 4455164334814599334, -7319727493605300754, 0, '\x14000000544c45310000000008000c00070008000800000000000001080000000400040004000000');
INSERT INTO stored_v1.turnlog_event VALUES (41, '26c690b4-a9a1-479e-300a-f4ffc7944a29', 2, 2, 0, 1, 4455164334814599334, -4157357088354187850, 0, '\x18000000544c4531000000000c001c000700080010000c000c0000000000000224000000100000000032961cf2ca86180000000003000000652d310000000600080004000600000004000000050000006669727374000000');
INSERT INTO stored_v1.turnlog_event VALUES (41, '26c690b4-a9a1-479e-300a-f4ffc7944a29', 3, 6, 0, 1, 4455164334814599334, 4754284518753826558, 0, '\x14000000544c45310000000008000e000700080008000000000000061000000000000a001000040008000c000a00000050000000380000000c00000008000c00040008000800000010000000080000000400040004000000060000004170706c793f00000800080000000400080000000400000001000000740006000800040006000000040000000800000063616c6c2e712e3100000000');
INSERT INTO stored_v1.turnlog_event VALUES (41, '26c690b4-a9a1-479e-300a-f4ffc7944a29', 4, 7, 0, 1, 4455164334814599334, 7191567802526049822, 0, '\x14000000544c45310000000008000e000700080008000000000000071000000000000a000c000000040008000a00000018000000040000000400000074727565000006000800040006000000040000000800000063616c6c2e712e3100000000');
INSERT INTO stored_v1.turnlog_event VALUES (41, '26c690b4-a9a1-479e-300a-f4ffc7944a29', 6, 1, 0, 2, 4455164334814599334, 2604426420069423366, 0, '\x14000000544c45310000000008000c00070008000800000000000001080000000400040004000000');
INSERT INTO stored_v1.turnlog_event VALUES (41, '26c690b4-a9a1-479e-300a-f4ffc7944a29', 7, 2, 0, 2, 4455164334814599334, -8914900471082253139, 0, '\x10000000544c453108000e000700080008000000000000020c00000000000600080004000600000004000000060000007365636f6e640000');
INSERT INTO stored_v1.turnlog_event VALUES (41, '26c690b4-a9a1-479e-300a-f4ffc7944a29', 8, 6, 0, 2, 4455164334814599334, 3585726872087528389, 0, '\x14000000544c45310000000008000e000700080008000000000000061000000000000a001000040008000c000a00000050000000380000000c00000008000c0004000800080000001000000008000000040004000400000006000000416761696e3f00000800080000000400080000000400000001000000740006000800040006000000040000000800000063616c6c2e712e3100000000');
INSERT INTO stored_v1.turnlog_event VALUES (41, '26c690b4-a9a1-479e-300a-f4ffc7944a29', 9, 11, 0, 2, 3817718833757313888, 4598487563525872634, 0, '\x14000000544c453100000a001800070008000c000a0000000000000a100000007be961d44a02eb1800000000d2ffffff140000001c00000001000000000000000000000007000000726f6f7440766d00010000001000000000000a00180004000c0008000a00000014000000200000000100000000000000000000000b000000676976656e2d76616c7565000100000005000000000000000500000000000000');
INSERT INTO stored_v1.turnlog_event VALUES (41, '26c690b4-a9a1-479e-300a-f4ffc7944a29', 5, 3, 1, 1, 4455164334814599334, -2506061608288139805, 0, '\x14000000544c45310000000008000c000700080008000000000000030c000000080008000000040008000000040000000a0000005b72656461637465645d0000');
INSERT INTO stored_v1.turnlog_event_id VALUES (41, '26c690b4-a9a1-479e-300a-f4ffc7944a29', '8190e8ff-a1f8-7003-12f7-35b07c461221', 2);
INSERT INTO stored_v1.turnlog_feed VALUES (17, 1, 'b6cac4b3-a086-39a6-96f4-437fde5c3f91', 1, 1, 4004627372483813213);
INSERT INTO stored_v1.turnlog_feed VALUES (41, 1, '26c690b4-a9a1-479e-300a-f4ffc7944a29', 1, 8, 4455164334814599334);
INSERT INTO stored_v1.turnlog_feed VALUES (41, 2, '26c690b4-a9a1-479e-300a-f4ffc7944a29', 9, 1, 3817718833757313888);
INSERT INTO stored_v1.turnlog_head VALUES (17, 'b6cac4b3-a086-39a6-96f4-437fde5c3f91', '\x6f74686572', 1, 0, 56, 0, NULL, NULL, 4004627372483813213, '\x');
INSERT INTO stored_v1.turnlog_head VALUES (41, '26c690b4-a9a1-479e-300a-f4ffc7944a29', '\x6b657074', 9, 2, 848, 0, 1767323045000000000, 1795531396851296635, 3817718833757313888, '\x01103e2c265085960163694b60d67b46b58a080000');
INSERT INTO stored_v1.turnlog_inquiry VALUES (41, '26c690b4-a9a1-479e-300a-f4ffc7944a29', '8ab5467b-d660-4b69-6301-968550262c3e', 3, 1, 3, 4);
INSERT INTO stored_v1.turnlog_inquiry VALUES (41, '26c690b4-a9a1-479e-300a-f4ffc7944a29', '8ab5467b-d660-4b69-6301-968550262c3e', 8, 2, 8, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (0, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (1, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (2, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (3, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (4, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (5, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (6, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (7, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (8, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (9, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (10, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (11, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (12, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (13, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (14, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (15, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (16, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (18, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (19, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (20, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (21, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (22, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (23, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (24, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (25, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (26, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (27, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (28, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (29, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (30, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (31, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (32, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (33, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (34, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (35, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (36, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (37, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (38, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (39, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (40, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (42, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (43, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (44, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (45, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (46, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (47, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (48, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (49, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (50, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (51, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (52, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (53, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (54, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (55, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (56, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (57, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (58, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (59, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (60, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (61, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (62, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (63, 0, 0);
INSERT INTO stored_v1.turnlog_lane VALUES (17, 1, 4004627372483813213);
INSERT INTO stored_v1.turnlog_lane VALUES (41, 2, 3817718833757313888);
INSERT INTO stored_v1.turnlog_pending VALUES (41, '26c690b4-a9a1-479e-300a-f4ffc7944a29');
INSERT INTO stored_v1.turnlog_store VALUES (1, 1, 64, '1b4574e7-021e-1423-a86a-7667b2b39beb', 0);
INSERT INTO stored_v1.turnlog_turn VALUES (41, '26c690b4-a9a1-479e-300a-f4ffc7944a29', 1, 1);
INSERT INTO stored_v1.turnlog_turn VALUES (41, '26c690b4-a9a1-479e-300a-f4ffc7944a29', 2, 6);
ALTER TABLE ONLY stored_v1.turnlog_event_id
    ADD CONSTRAINT turnlog_event_id_pkey PRIMARY KEY (lane, conv, id);
ALTER TABLE ONLY stored_v1.turnlog_event
    ADD CONSTRAINT turnlog_event_pkey PRIMARY KEY (lane, conv, seq);
ALTER TABLE ONLY stored_v1.turnlog_feed
    ADD CONSTRAINT turnlog_feed_pkey PRIMARY KEY (lane, pos);
ALTER TABLE ONLY stored_v1.turnlog_head
    ADD CONSTRAINT turnlog_head_pkey PRIMARY KEY (lane, conv);
ALTER TABLE ONLY stored_v1.turnlog_inquiry
    ADD CONSTRAINT turnlog_inquiry_pkey PRIMARY KEY (lane, conv, id, first_seq);
ALTER TABLE ONLY stored_v1.turnlog_lane
    ADD CONSTRAINT turnlog_lane_pkey PRIMARY KEY (lane);
ALTER TABLE ONLY stored_v1.turnlog_part
    ADD CONSTRAINT turnlog_part_pkey PRIMARY KEY (lane, conv, seq, part);
ALTER TABLE ONLY stored_v1.turnlog_pending
    ADD CONSTRAINT turnlog_pending_pkey PRIMARY KEY (lane, conv);
ALTER TABLE ONLY stored_v1.turnlog_repair
    ADD CONSTRAINT turnlog_repair_pkey PRIMARY KEY (lane, conv, seq);
ALTER TABLE ONLY stored_v1.turnlog_store
    ADD CONSTRAINT turnlog_store_pkey PRIMARY KEY (one);
ALTER TABLE ONLY stored_v1.turnlog_turn
    ADD CONSTRAINT turnlog_turn_pkey PRIMARY KEY (lane, conv, turn);
ALTER TABLE ONLY stored_v1.turnlog_watermark
    ADD CONSTRAINT turnlog_watermark_pkey PRIMARY KEY (lane, conv, consumer);
CREATE INDEX turnlog_head_name ON stored_v1.turnlog_head USING btree (name);
