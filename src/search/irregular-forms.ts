/**
 * Irregular forms of English words: each word, followed by its forms. Forms that are as often a different word are left
 * out: left, bound, leaves, lives, data.
 */
const families = `
arise arose arisen, awake awoke awoken, become became, begin began begun, bend bent, bite bit bitten, bleed bled, blow
blew blown, break broke broken, breed bred, bring brought, build built, burn burnt, buy bought, catch caught, choose
chose chosen, come came, deal dealt, dig dug, draw drew drawn, dream dreamt, drink drank drunk, drive drove driven,
eat ate eaten, fall fell fallen, feed fed, feel felt, fight fought, find found, flee fled, fly flew flown, forbid
forbade forbidden, forget forgot forgotten, forgive forgave forgiven, freeze froze frozen, get got gotten, give gave
given, go went gone goes, grow grew grown, hang hung, hear heard, hide hid hidden, hold held, keep kept, know knew
known, lead led, learn learnt, lend lent, lose lost, make made, mean meant, meet met, pay paid, ride rode ridden, ring
rang rung, rise rose risen, run ran, say said, see saw seen, seek sought, sell sold, send sent, shake shook shaken,
shine shone, shoot shot, show shown, shrink shrank shrunk, sing sang sung, sink sank sunk, sit sat, sleep slept, slide
slid, speak spoke spoken, spend spent, spin spun, stand stood, steal stole stolen, stick stuck, strike struck, swear
swore sworn, sweep swept, swim swam swum, swing swung, take took taken, teach taught, tear tore torn, tell told, think
thought, throw threw thrown, understand understood, wake woke woken, wear wore worn, win won, withdraw withdrew
withdrawn, write wrote written, child children, man men, woman women, person people, foot feet, tooth teeth, mouse
mice, goose geese, wife wives, knife knives, half halves, shelf shelves, index indices, matrix matrices, vertex
vertices, appendix appendices, analysis analyses, criterion criteria`;

/** Maps an irregular form to its base word: `went` to `go`. */
export const irregularForms: ReadonlyMap<string, string> = new Map(
  families.split(",").flatMap((family) => {
    const [word = "", ...forms] = family.trim().split(/\s+/);
    return forms.map((form) => [form, word] as const);
  }),
);
