// Stops in the middle of its sigil.
process.stdout.write("All finished.\n<task-do");
