-- Tides by station and time; metres are above chart datum.
CREATE TABLE IF NOT EXISTS tide (
    station TEXT NOT NULL,
    at TEXT NOT NULL,
    metres REAL NOT NULL,
    high INTEGER NOT NULL,
    PRIMARY KEY (station, at)
);
