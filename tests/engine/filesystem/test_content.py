"""Contents that layers share, read by many threads at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from studio.engine.filesystem.content import SPOOL_BYTES, Content, ContentWriting

READERS, READS = 4, 5_000


def test_threads_read_one_content_that_lies_in_a_temporary_file() -> None:
    made: list[Content] = []
    writing = ContentWriting(made.append)
    writing.write(bytes(SPOOL_BYTES))
    blocks = [bytes((number,)) * 4096 for number in range(READERS)]
    for block in blocks:
        writing.write(block)
    writing.finish()
    (content,) = made

    def read(number: int) -> bool:
        start = SPOOL_BYTES + 4096 * number
        return all(content.read_at(start, 4096) == blocks[number] for _ in range(READS))

    with ThreadPoolExecutor(READERS) as readers:
        assert all(readers.map(read, range(READERS)))
