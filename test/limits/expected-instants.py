"""Works out when each message of messages.json says that its limit ends, from its hand-written `means`, the system's
zone data and a walk from minute to minute: nothing is shared with the program under test.

    python3 test/limits/expected-instants.py > test/limits/instants.json
"""

import json
import pathlib
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

ZONES = ["UTC", "America/New_York", "Asia/Kathmandu", "Australia/Sydney"]
# Each change of 2026 in New York, Sydney and Europe: spring gaps and autumn overlaps.
CHANGES = [
    "2026-03-08T07:00:00",
    "2026-03-29T01:00:00",
    "2026-04-04T16:00:00",
    "2026-10-03T16:00:00",
    "2026-10-25T01:00:00",
    "2026-11-01T06:00:00",
]
UTC = timezone.utc
MINUTE = timedelta(minutes=1)


def nows():
    for change in CHANGES:
        moment = datetime.fromisoformat(change).replace(tzinfo=UTC)
        yield moment - timedelta(minutes=50)
        yield moment + timedelta(minutes=10)


def walk(now, zone, hour, minute):
    """The first minute after `now` at which clocks in `zone` show the time, or jump over it."""
    at = now.replace(second=0, microsecond=0)
    before = at.astimezone(zone)
    for _ in range(50 * 60):
        at += MINUTE
        shown = at.astimezone(zone)
        if (shown.hour, shown.minute) == (hour, minute):
            return at
        same_day = shown.date() == before.date()
        if same_day and (before.hour, before.minute) < (hour, minute) < (shown.hour, shown.minute):
            # Left out: as long after the change as it stands after the time at which the change came.
            gap = before.replace(tzinfo=None) + MINUTE
            return at + (gap.replace(hour=hour, minute=minute) - gap)
        before = shown
    raise AssertionError("no such time within two days")


def day(zone, year, month, date, hour, minute):
    """The first moment at which clocks in `zone` show the date and time."""
    start = datetime(year, month, date, tzinfo=UTC) - timedelta(hours=15)
    at = start
    while (at.astimezone(zone).month, at.astimezone(zone).day) != (month, date):
        at += timedelta(minutes=15)
    return walk(at - MINUTE, zone, hour, minute)


def instant(means, now, local):
    if means is None:
        return None
    if "epoch" in means:
        return datetime.fromtimestamp(means["epoch"], UTC)
    if "seconds" in means:
        return now + timedelta(seconds=means["seconds"])
    zone = ZoneInfo(means.get("zone", local))
    hour, minute = map(int, means["clock"].split(":"))
    if "date" not in means:
        return walk(now, zone, hour, minute)
    month, date = map(int, means["date"].split("-"))
    year = now.astimezone(zone).year
    years = [means["year"]] if "year" in means else [year - 1, year, year + 1]
    return min((day(zone, y, month, date, hour, minute) for y in years), key=lambda at: abs(at - now))


def iso(at):
    if at is None:
        return None
    # Milliseconds, rounded up, as a wait must not end early.
    ms = -(-at.microsecond // 1000)
    at = at.replace(microsecond=0) + timedelta(milliseconds=ms)
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


def main():
    here = pathlib.Path(__file__).parent
    messages = json.loads((here / "messages.json").read_text())
    moments = list(nows())
    table = []
    for message in messages:
        row = []
        for now in moments:
            each = [iso(instant(message["means"], now, zone)) for zone in ZONES]
            row.append(each[0] if len(set(each)) == 1 else each)
        same = not isinstance(row[0], list) and all(cell == row[0] for cell in row)
        table.append(row[0] if same else row)
    cells = ",\n".join("    " + json.dumps(row) for row in table)
    print('{\n  "zones": %s,\n  "nows": %s,\n  "instants": [\n%s\n  ]\n}' % (
        json.dumps(ZONES), json.dumps([iso(now) for now in moments]), cells))


main()
