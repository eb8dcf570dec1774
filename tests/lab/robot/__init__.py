"""A robot that types and decides in the real window while another process works beside it."""
