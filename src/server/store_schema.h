// The tables of a coordinator's store, and the numbers that say whose file it is and of which edition.
//
// Laws: a change of the tables is a new version; what must never happen to a released version or a
// round's number is refused by the tables themselves, whoever asks.
#pragma once

#include "storage/database.h"

namespace sotto::server {

// New in version 2.
#define SOTTO_EVALUATION_TABLE                                       \
  "CREATE TABLE evaluation ("                                        \
  "  task TEXT NOT NULL,"                                            \
  "  version INTEGER NOT NULL,"                                      \
  "  beside INTEGER NOT NULL CHECK (beside IN (0, 1)),"              \
  "  people INTEGER NOT NULL,"                                       \
  "  figures TEXT NOT NULL,"                                         \
  "  time_ms INTEGER NOT NULL,"                                      \
  "  PRIMARY KEY (task, version, beside),"                           \
  "  FOREIGN KEY (task, version) REFERENCES version (task, number)"  \
  ") WITHOUT ROWID;"                                                 \
  "CREATE TRIGGER evaluation_changes BEFORE UPDATE ON evaluation "   \
  "BEGIN SELECT RAISE(ABORT, 'released figures never change'); END;" \
  "CREATE TRIGGER evaluation_vanishes BEFORE DELETE ON evaluation "  \
  "BEGIN SELECT RAISE(ABORT, 'released figures never vanish'); END;"

// New in version 2: from where a device answers that moved.
#define SOTTO_HOME_TABLE                                                \
  "CREATE TABLE home ("                                                 \
  "  device BLOB PRIMARY KEY REFERENCES device (id) ON DELETE CASCADE," \
  "  home BLOB NOT NULL,"                                               \
  "  moves INTEGER NOT NULL,"                                           \
  "  since_ms INTEGER NOT NULL"                                         \
  ") WITHOUT ROWID;"
// Versions on trial that all devices were given in the end.
#define SOTTO_PROMOTION_TABLE                                       \
  "CREATE TABLE promotion ("                                        \
  "  task TEXT NOT NULL,"                                           \
  "  version INTEGER NOT NULL,"                                     \
  "  PRIMARY KEY (task, version),"                                  \
  "  FOREIGN KEY (task, version) REFERENCES version (task, number)" \
  ") WITHOUT ROWID;"                                                \
  "CREATE TRIGGER promotion_vanishes BEFORE DELETE ON promotion "   \
  "BEGIN SELECT RAISE(ABORT, 'a promotion stays'); END;"

// Held exclusively from the first statement on, without a shared index beside the file.
inline constexpr DatabaseForm store_form{
    .what = "coordinator's database",
    .application = 0x536F7474,  // "Sott"
    .version = 2,
    .settings =
        "PRAGMA journal_mode = WAL;"
        "PRAGMA synchronous = FULL;"
        "PRAGMA foreign_keys = ON;"
        "PRAGMA temp_store = MEMORY;"
        "PRAGMA cell_size_check = ON;"
        "PRAGMA trusted_schema = OFF",
    .tables = R"sql(
CREATE TABLE task (
  name TEXT PRIMARY KEY,
  spec BLOB NOT NULL,
  state INTEGER NOT NULL CHECK (state IN (0, 1, 2)),
  next_round INTEGER NOT NULL,
  budget TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE round (
  task TEXT NOT NULL REFERENCES task (name),
  round INTEGER NOT NULL,
  state INTEGER NOT NULL CHECK (state IN (0, 1, 2)),
  opened_ms INTEGER NOT NULL,
  closed_ms INTEGER NOT NULL,
  assigned INTEGER NOT NULL,
  contributions INTEGER NOT NULL,
  why TEXT NOT NULL,
  PRIMARY KEY (task, round)
) WITHOUT ROWID;
CREATE INDEX open_round ON round (state) WHERE state = 0;

CREATE TABLE version (
  task TEXT NOT NULL REFERENCES task (name),
  number INTEGER NOT NULL,
  round INTEGER NOT NULL,
  contributions INTEGER NOT NULL,
  model_hash TEXT NOT NULL,
  master BLOB NOT NULL,
  time_ms INTEGER NOT NULL,
  again INTEGER,
  stable INTEGER,
  share INTEGER,
  salt TEXT,
  PRIMARY KEY (task, number)
) WITHOUT ROWID;
CREATE INDEX version_master ON version (master);

-- number is the device's index and one; AUTOINCREMENT never gives one again.
CREATE TABLE device (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id BLOB NOT NULL UNIQUE,
  key BLOB NOT NULL,
  revoked INTEGER NOT NULL,
  enrolled_ms INTEGER NOT NULL,
  last_seen_ms INTEGER NOT NULL
);

-- used_by is NULL before the token was used, and empty when its device was forgotten.
CREATE TABLE token (
  hash BLOB PRIMARY KEY,
  used_by BLOB
) WITHOUT ROWID;
CREATE INDEX token_used_by ON token (used_by);

CREATE TRIGGER version_changes BEFORE UPDATE ON version
BEGIN SELECT RAISE(ABORT, 'a released version never changes'); END;
CREATE TRIGGER version_vanishes BEFORE DELETE ON version
BEGIN SELECT RAISE(ABORT, 'a released version never vanishes'); END;
CREATE TRIGGER rounds_fall BEFORE UPDATE OF next_round ON task WHEN NEW.next_round < OLD.next_round
BEGIN SELECT RAISE(ABORT, 'numbers of rounds never fall'); END;
CREATE TRIGGER round_reopens BEFORE UPDATE OF state ON round WHEN OLD.state <> 0
BEGIN SELECT RAISE(ABORT, 'a closed round stays as it is'); END;
)sql" SOTTO_EVALUATION_TABLE SOTTO_HOME_TABLE SOTTO_PROMOTION_TABLE,
    .alone = true,
    // From version 1, that of 0.1.0.
    .upgrade = R"sql(
ALTER TABLE version ADD COLUMN again INTEGER;
ALTER TABLE version ADD COLUMN stable INTEGER;
ALTER TABLE version ADD COLUMN share INTEGER;
ALTER TABLE version ADD COLUMN salt TEXT;
)sql" SOTTO_EVALUATION_TABLE SOTTO_HOME_TABLE SOTTO_PROMOTION_TABLE,
};

}  // namespace sotto::server
