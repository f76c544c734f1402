"""Riddles, one JSON file each."""
