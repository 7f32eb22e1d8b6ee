/**
 * The schema, one numbered script after another; `user_version` says how many have run. Never edit one that has shipped.
 * Integer keys inside, hashes as 8-byte BLOBs; times in ms since epoch unless a column says otherwise.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE node(
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    type TEXT NOT NULL,
    bytes BLOB NOT NULL,
    size INTEGER NOT NULL,
    touched INTEGER NOT NULL
  ) STRICT;

  -- src, dst: node.id. Of a state's start and ancestors only the parent is kept here; the rest is reachable through it.
  CREATE TABLE ref(src INTEGER NOT NULL, dst INTEGER NOT NULL, PRIMARY KEY(src, dst)) STRICT, WITHOUT ROWID;
  CREATE INDEX ref_dst ON ref(dst);

  CREATE TABLE thread(
    id TEXT PRIMARY KEY,
    workflow TEXT NOT NULL,
    version BLOB NOT NULL,               -- hash of the definition node or of the bundle file
    kind TEXT NOT NULL,                  -- definition | bundle
    worker TEXT NOT NULL,                -- key of the worker that runs it: 'definitions' or the bundle's hash
    start INTEGER NOT NULL REFERENCES node(id),
    head INTEGER NOT NULL REFERENCES node(id),
    status TEXT NOT NULL,                -- queued running paused waiting interrupted completed failed cancelled
    desired TEXT NOT NULL,               -- run pause kill
    reason TEXT,                         -- why it is paused
    problem TEXT,                        -- JSON {code, message}: why it failed
    options TEXT NOT NULL,               -- JSON {agents, maxSteps, maxVisits, budget}
    prompt200 TEXT NOT NULL,             -- the prompt's first 200 characters
    workspace TEXT NOT NULL,
    depth INTEGER NOT NULL,
    parent TEXT,
    forkedFrom TEXT,
    fence INTEGER NOT NULL DEFAULT 0,    -- grows with each owner
    createdAt INTEGER NOT NULL,
    queuedAt INTEGER NOT NULL,
    updatedAt INTEGER NOT NULL,
    startedAt INTEGER,
    endedAt INTEGER,
    returnCode INTEGER,                  -- set with the end state
    summary TEXT,
    role TEXT,                           -- of the last committed step
    steps INTEGER NOT NULL DEFAULT 0,    -- committed
    tokensInput INTEGER NOT NULL DEFAULT 0,
    tokensCacheRead INTEGER NOT NULL DEFAULT 0,
    tokensCacheWrite INTEGER NOT NULL DEFAULT 0,
    tokensOutput INTEGER NOT NULL DEFAULT 0,
    usd REAL NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX thread_status ON thread(status, queuedAt);
  CREATE INDEX thread_workflow ON thread(workflow, id);

  CREATE TABLE step(
    thread TEXT NOT NULL,
    seq INTEGER NOT NULL,                -- from 1
    attempt INTEGER NOT NULL,            -- from 1
    node INTEGER REFERENCES node(id),    -- the state node; null until its commit
    role TEXT NOT NULL,
    agent TEXT NOT NULL,                 -- the binding's name, 'run' for scripts
    status TEXT NOT NULL,                -- running committed failed interrupted cancelled
    problem TEXT,                        -- JSON {code, message}
    startedAt INTEGER NOT NULL,
    committedAt INTEGER,                 -- or ended without a commit
    pgid INTEGER,                        -- process group of its agent, with the leader's start time
    processStart TEXT,
    childThread TEXT,
    tokensInput INTEGER NOT NULL DEFAULT 0,
    tokensCacheRead INTEGER NOT NULL DEFAULT 0,
    tokensCacheWrite INTEGER NOT NULL DEFAULT 0,
    tokensOutput INTEGER NOT NULL DEFAULT 0,
    usd REAL NOT NULL DEFAULT 0,
    PRIMARY KEY(thread, seq, attempt)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX step_node ON step(node) WHERE node IS NOT NULL;

  CREATE TABLE event(
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    thread TEXT,
    type TEXT NOT NULL,
    at INTEGER NOT NULL,
    data TEXT NOT NULL                   -- JSON: hashes and small fields only
  ) STRICT;
  CREATE INDEX event_thread ON event(thread, seq);

  -- text of the step in flight; deleted in the step's commit
  CREATE TABLE live(
    thread TEXT NOT NULL,
    seq INTEGER NOT NULL,
    n INTEGER NOT NULL,
    kind TEXT NOT NULL,                  -- text | stderr
    text TEXT NOT NULL,
    PRIMARY KEY(thread, seq, n)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE lease(
    thread TEXT PRIMARY KEY,
    owner TEXT NOT NULL,                 -- worker.instance
    pid INTEGER NOT NULL,
    processStart TEXT NOT NULL,
    bootId TEXT NOT NULL,
    fence INTEGER NOT NULL,
    renewedAt INTEGER NOT NULL           -- ms of the machine's monotonic clock, valid within bootId
  ) STRICT;
  CREATE INDEX lease_owner ON lease(owner);

  CREATE TABLE worker(
    key TEXT PRIMARY KEY,                -- 'definitions' or a bundle's hash
    instance TEXT NOT NULL,
    pid INTEGER NOT NULL,
    processStart TEXT NOT NULL,
    bootId TEXT NOT NULL,
    version TEXT NOT NULL,
    startedAt INTEGER NOT NULL,
    renewedAt INTEGER NOT NULL           -- as of a lease
  ) STRICT;

  CREATE TABLE question(
    id TEXT PRIMARY KEY,
    thread TEXT NOT NULL,
    seq INTEGER NOT NULL,
    ask TEXT NOT NULL,                   -- JSON: a schema or options
    state TEXT NOT NULL,                 -- open answered dropped
    answer TEXT,
    answeredBy TEXT,
    askedAt INTEGER NOT NULL,
    answeredAt INTEGER
  ) STRICT;
  CREATE INDEX question_state ON question(state, askedAt);

  CREATE TABLE session(
    thread TEXT NOT NULL,
    role TEXT NOT NULL,
    agent TEXT NOT NULL,
    sessionId TEXT NOT NULL,
    cwd TEXT NOT NULL,
    PRIMARY KEY(thread, role, agent)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE idempotency(
    key TEXT PRIMARY KEY,
    body BLOB NOT NULL,                  -- hash of the request's body
    thread TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE setting(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  `,
  `
  ALTER TABLE node ADD COLUMN damaged INTEGER NOT NULL DEFAULT 0;  -- 1: its bytes have another hash; a good put mends it

  -- bytes as they were found, for people to look at
  CREATE TABLE quarantine(
    hash BLOB PRIMARY KEY,
    type TEXT NOT NULL,
    bytes BLOB NOT NULL,
    reason TEXT NOT NULL,
    foundAt INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  ALTER TABLE thread ADD COLUMN parentSeq INTEGER;                 -- the step of its parent that it is
  ALTER TABLE thread ADD COLUMN forkedSeq INTEGER;                 -- steps it shares with forkedFrom
  ALTER TABLE thread ADD COLUMN imported INTEGER NOT NULL DEFAULT 0; -- 1: a copy from a pack, never run here
  CREATE INDEX thread_parent ON thread(parent, parentSeq) WHERE parent IS NOT NULL;
  CREATE INDEX thread_forked ON thread(forkedFrom) WHERE forkedFrom IS NOT NULL;
  `,
];
