import type { ExecutedCommand } from "../executed-commands.ts";

const standard = `
  abc aifc argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect bz2 cProfile
  calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall concurrent
  configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal
  difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput
  fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib
  heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword
  lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt
  multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev
  pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats
  pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource
  rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket
  socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct
  subprocess sunau symtable sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap threading
  time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types typing
  unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml
  xmlrpc zipapp zipfile zipimport zlib zoneinfo`;
const tools =
  "pytest _pytest mypy ruff flake8 pylint black isort coverage tox nox nose nose2 pyright pyflakes bandit pip build hatch poetry setuptools pkg_resources pluggy iniconfig packaging xdist";

/** The modules of Python itself, and those that run tests and checks. A project has none of these names. */
const modules: ReadonlySet<string> = new Set([...standard.trim().split(/\s+/), ...tools.split(" ")]);

/** Returns true for an entry of a folder, a file or a package, that Python would take for one of its own modules. */
export function isPythonModule(name: string): boolean {
  return modules.has(name.replace(/\.py$/, ""));
}

/** Returns true if the command makes Python look for modules in the folder where it runs: `python3 -m unittest`. */
export function looksInFolder({ program, args }: ExecutedCommand): boolean {
  const [first] = args.filter((word) => !/^-[A-Za-z]*$/.test(word) || /[mc]$/.test(word));
  return (
    /^python[\d.]*$/.test(program.replace(/^.*\//, "")) &&
    (first === undefined || /^-[A-Za-z]*[mc]/.test(first))
  );
}

/** Returns the module that the command makes Python run: `python3 -B -m tools.check`. */
export function moduleRunBy({ program, args }: ExecutedCommand): string | undefined {
  if (!/^python[\d.]*$/.test(program.replace(/^.*\//, ""))) return undefined;
  // The first word that is no option and no value of one ends Python's own options, as does the text of `-c`.
  const at = args.findIndex(
    (word, index) =>
      /^-[A-Za-z]*[cm]/.test(word) || (word[0] !== "-" && !/^-[A-Za-z]*[WX]$/.test(args[index - 1] ?? "")),
  );
  const [, attached] = /^-[A-BD-Za-bd-z]*?m(.*)$/.exec(args[at] ?? "") ?? [];
  return attached === "" ? args[at + 1] : attached;
}

/** Returns the words that may name the tests, if the command runs pytest. */
export function pytestFolders({ program, args, isGuess }: ExecutedCommand): readonly string[] {
  const words = [program.replace(/^.*\//, ""), ...args];
  const at = words.indexOf("pytest");
  if (at < 0 || isGuess) return [];
  const named = words.slice(at + 1).filter((word) => !word.startsWith("-"));
  return named.length > 0 ? named.map((word) => word.replace(/::.*$/, "")) : ["tests", "test"];
}
