import unittest
from datetime import datetime, timedelta

from tidewatch.access import is_valid_token, may_change_marks
from tidewatch.alerts import alert
from tidewatch.config import stations
from tidewatch.page import render
from tidewatch.tides import Tide, next_high, time_above


def at(hour, minute=0):
    return datetime(2026, 3, 14, hour, minute)


LOW, HIGH = Tide(at(4), 1.0, False), Tide(at(10), 4.0, True)


class TidesTest(unittest.TestCase):
    def test_next_high(self):
        self.assertEqual(next_high([LOW, HIGH], at(5)), HIGH)
        self.assertIsNone(next_high([LOW, HIGH], at(11)))

    def test_time_above(self):
        self.assertEqual(time_above([LOW, HIGH], 2.5), timedelta(hours=3))

    def test_alert(self):
        station = stations()["cuxhaven"]
        self.assertIn("4.00 m at 10:00", alert(station, [LOW, HIGH]))
        self.assertIsNone(alert(station, [LOW]))

    def test_page_escapes(self):
        page = render(stations()["busum"], [LOW])
        self.assertIn("Büsum", page)
        self.assertIn('"metres": 1.0', page)


class AccessTest(unittest.TestCase):
    def test_token(self):
        self.assertTrue(is_valid_token("a", "a"))
        self.assertFalse(is_valid_token("a", "b"))

    def test_roles(self):
        self.assertTrue(may_change_marks("harbour master"))
        self.assertFalse(may_change_marks("guest"))


if __name__ == "__main__":
    unittest.main()
