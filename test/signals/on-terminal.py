# Runs argv[3:] on a terminal of its own, of 24 lines of 80 columns. Once the file argv[1] exists, or the screen has shown
# what "screen:REGEX" tells, or all of several such lines hold, does argv[2]: "once", "twice" (Ctrl-C typed), "type:TEXT" (and Enter), "close" (the window is gone), "nothing"; and for
# the shell that follows on the same terminal tells as JSON what state it finds.
import fcntl, json, os, pty, re, select, struct, sys, termios, time

gate, action, argv = sys.argv[1], sys.argv[2], sys.argv[3:]
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
before = termios.tcgetattr(slave)
child = os.fork()
if child == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for fd in (0, 1, 2):
        os.dup2(slave, fd)
    os.closerange(3, 64)
    os.execvp(argv[0], argv)

screen, typed, closed, status, start = b"", 0, False, None, time.time()
first = last = 0.0

def holds(one):
    if one.startswith("screen:"):
        return re.search(one[7:].encode(), screen, re.S)
    return os.path.exists(one)

def reached():
    return all(holds(one) for one in gate.split("\n"))

while status is None and time.time() - start < 120:
    if not closed:
        ready, _, _ = select.select([master], [], [], 0.02)
        if ready:
            screen += os.read(master, 65536)
    else:
        time.sleep(0.02)
    if reached():
        if action == "close" and not closed:
            os.close(master)
            os.close(slave)
            closed = True
        elif action in ("once", "twice") and typed == 0:
            os.write(master, b"\x03")
            typed, first = 1, time.time()
        elif action.startswith("type:") and typed == 0:
            os.write(master, action[5:].encode() + b"\r")
            typed, first = 1, time.time()
        elif action == "twice" and typed == 1 and time.time() - first > 0.3:
            os.write(master, b"\x03")
            typed, last = 2, time.time()
    pid, status_now = os.waitpid(child, os.WNOHANG)
    if pid == child:
        status = status_now
took = time.time() - (last or first)
if not closed:
    while select.select([master], [], [], 0.2)[0]:
        screen += os.read(master, 65536)
print(json.dumps({
    "signal": os.WTERMSIG(status) if status is not None and os.WIFSIGNALED(status) else None,
    "code": os.WEXITSTATUS(status) if status is not None and os.WIFEXITED(status) else None,
    "same": closed or termios.tcgetattr(slave) == before,
    "seconds": took,
    "screen": screen.decode("utf-8", "replace"),
}))
