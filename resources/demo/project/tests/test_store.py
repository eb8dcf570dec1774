import unittest
from datetime import datetime

from tidewatch.store import Store
from tidewatch.tides import Tide


class StoreTest(unittest.TestCase):
    def setUp(self):
        self.store = Store()
        self.addCleanup(self.store.close)
        self.old = Tide(datetime(2025, 11, 1, 3, 5), 3.1, True)
        self.new = Tide(datetime(2026, 3, 14, 4, 17), 3.4, True)
        self.store.save("busum", [self.new, self.old])

    def test_between(self):
        found = self.store.between("busum", datetime(2025, 1, 1), datetime(2027, 1, 1))
        self.assertEqual(found, [self.old, self.new])

    def test_same_moment_is_replaced(self):
        self.store.save("busum", [self.new])
        self.assertEqual(len(self.store.between("busum", self.new.at, self.new.at)), 1)

    def test_forget(self):
        self.assertEqual(self.store.forget_before(datetime(2026, 3, 15), 90), 1)


if __name__ == "__main__":
    unittest.main()
