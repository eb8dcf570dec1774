import io
import unittest
from datetime import date, datetime
from urllib.error import URLError

from tidewatch.fetch import FetchFailed, fetch_table, parse, table_url, tides_of
from tidewatch.tides import Tide

DAY = date(2026, 3, 14)
TABLE = b"time;metres;kind\n04:17;3.41;high\n10:52;0.38;low\n"


class Office:
    """Answers in place of the network."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    def __call__(self, url, timeout):
        self.asked.append(url)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return io.BytesIO(answer)


class FetchTest(unittest.TestCase):
    def test_address(self):
        self.assertTrue(table_url("busum", DAY).endswith("/busum/2026-03-14.csv"))

    def test_table_as_sent(self):
        self.assertEqual(fetch_table("busum", DAY, Office(TABLE)), TABLE)

    def test_no_answer(self):
        with self.assertRaises(FetchFailed):
            fetch_table("busum", DAY, Office(URLError("timed out")))

    def test_tides_in_order(self):
        upside_down = b"time;metres;kind\n10:52;0.38;low\n04:17;3.41;high\n"
        tides = tides_of("busum", DAY, Office(upside_down))
        self.assertEqual([tide.high for tide in tides], [True, False])


class ParseTest(unittest.TestCase):
    def test_one_tide(self):
        first = parse(TABLE, DAY)[0]
        self.assertEqual(first, Tide(datetime(2026, 3, 14, 4, 17), 3.41, True))

    def test_other_text(self):
        with self.assertRaises(ValueError):
            parse(b"<html>", DAY)


if __name__ == "__main__":
    unittest.main()
