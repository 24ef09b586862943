"""What links say (filled by later issues)."""
