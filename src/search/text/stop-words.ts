/** Words that carry no information about a task: most texts contain them, and they would take most of a search's time. */
export const stopWords: ReadonlySet<string> = new Set(
  `a about am an and any are as at be because been being both but by can could did do does doing each either else etc
few for from had has have having he her here hers him his how however i if in into is it its itself just let ll me might
more most much must my nor of off on or other our ours out over own please quite rather re really s shall she should
since so some such t than that the their theirs them then there these they this those through thus to too up upon us ve
very via was we well were what when where whether which while who whom whose why will with would yet you your`.split(
    /\s+/,
  ),
);
