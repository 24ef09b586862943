"""Speed and memory, measured: one command each, a table, a peer or a bound in the same run."""
