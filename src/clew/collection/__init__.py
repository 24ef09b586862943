"""What was collected as text: made from the archive, kept once it is asked for, searched."""
