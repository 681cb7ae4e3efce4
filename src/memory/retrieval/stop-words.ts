/** Words that tell nothing about a task: they stand in most texts, and cost most of a search's time. */
export const stopWords: ReadonlySet<string> = new Set(
  `a about after again all also am an and any are as at be because been before being between both but by can could did
do does doing done down during each either else etc even ever every few for from further get gets getting got had has
have having he her here hers him his how however i if in instead into is it its itself just let like ll made make makes
making many may me might more most much must my need needs no nor not now of off on once one only or other our ours out
over own please rather re really s same several shall she should since so some such t than that the their theirs them
then there these they this those through thus to too under until up upon us use used uses using ve very via want was
way we well were what when where whether which while who whom whose why will with within without would yet you your`.split(
    /\s+/,
  ),
);
