"""Squares of weights, one CSV file each."""
