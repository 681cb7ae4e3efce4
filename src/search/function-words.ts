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

/** The function words of a language. */
interface LanguageWords {
  /** Words that identify the language, because English text and code do not contain them. */
  readonly own: string;
  /** Its other function words: they are words of English or of code too, such as `die`, `plus` or `no`. */
  readonly shared: string;
}

/**
 * Function words of the most written languages besides English: articles, pronouns, prepositions, conjunctions, auxiliary verbs; in lower
 * case. Chinese, Japanese and Korean need none: their words are pairs of characters (`scripts.ts`).
 */
const functionWords: Readonly<Record<string, LanguageWords>> = {
  de: {
    own: `aber alle allem allen aller alles als andere anderen auch auf aus bei beim bereits bis bzw dabei dadurch dafür
daher damit danach dann daran darauf daraus darf das dass davon dazu dem den denn der deren des deshalb dessen diese
diesem diesen dieser dieses doch dort durch dürfen ein eine einem einen einer eines einige erst etwa für gegen gibt
haben hatte hatten hier ihr ihre ihrem ihren ihrer immer ist jede jedem jeden jeder jedes jedoch jetzt kann kein keine
keinem keinen keiner können könnte mehr mit muss müssen nach nicht nichts noch nur ob obwohl oder ohne schon sehr sein
seine seinem seinen seiner seit sich sie sind sofort sollen sollte sondern sonst soweit über um und unter viel viele vom
von vor wann warum weil welche welcher welches wenn werden wie wieder wird wo worden wurde wurden zu zum zur zwischen`,
    shared: "am an da die er es hat im in man so war was will wir",
  },
  es: {
    own: `algunos antes aunque cada como cuando cual cuales de del desde donde durante el ella ellos en entre era esa ese eso
esta está están estas este esto estos fue había han hasta hay la las los más mientras mismo muy nada ni nos nunca
otra otro otros para pero poco por porque pues que qué quien según ser sí siempre sino sobre sólo sus también tanto
tiene tienen toda todas todos tras tu una uno unos se y`,
    shared: "a al con e es ha le les lo me no o si sin solo son su tan te todo un ya",
  },
  fr: {
    own: `ai ainsi alors après aucun aucune aussi autre autres aux avant avec avoir ce ceci cela celle celles celui ces cet
cette ceux chaque chez comme dans de déjà depuis des donc dont du elles en encore entre est et été être eux fait
faut hors ici il ils je jusqu la lequel les leur leurs lorsque lors lui là même mais ne ni nos notre nous où ou par
parce pas pendant peu peut peuvent pour pourquoi puis qu quand que quel quelle quelles quels qui se ses seulement
soit sont sous sur ta tous tout toute toutes très trop une votre vos vous à ça étaient était seul seule doivent
devait avait avaient ont aussitôt chacun chacune plusieurs parfois souvent presque assez cependant toujours jamais
rien`,
    shared:
      "a as au c car d doit elle j l le m ma me moins mon n on plus s sa sans sera si son t ton tu un vers y",
  },
  pt: {
    own: `além ainda algum alguma alguns ao aos apenas após aquela aquele até cada como da de dela dele depois desde deve
devem durante ela elas ele eles em embora entre era essa esse esta está estão este estes foi foram há isso isto já
lhe mais mas menos mesma mesmo muito muitos na nas não nem nenhum nos nossa nosso numa nunca onde ou outra outro
outros para pela pelas pelo pelos pode podem pois por porque pouco qual quando que quem ser seu seus sob sobre sua
suas também tem têm ter toda todas todos tudo uma umas uns vai você à às é e o tinha havia estava ambos qualquer
quanto quais sempre assim porém`,
    shared: "a ante as com das do dos ir me no num os se sem si so são só todo um",
  },
  it: {
    own: `agli ai al alla alle allo anche ancora avere che chi ciò cui da dagli dai dal dalla dalle dallo degli dei dell della
delle dello deve devono di dopo dove ed era essere fino fra già gli hanno il infatti invece la le lei loro lui
mentre mio molto negli nei nel nella nelle nello nessuno noi nostro ogni oppure perché però più poi prima proprio
può possono qualche quale quando quelli quella quello quest questa queste questi questo qui quindi sarà sono sotto
stato su sugli sui sul sulla sulle suo sua tra tutta tutte tutti tutto una uno va viene vengono vi e o aveva erano
sempre mai così nulla niente adesso ora`,
    shared: "a all c ci come con d del due ha i in io l li lo ma mi ne no non per se si solo stata un",
  },
  nl: {
    own: `aan al alle als altijd ander andere bij dan dat de deze dit doen door een eens elke en er geen geweest haar heeft
heb hebben het hij hoe hun ik indien ja je jij kan kunnen maar meer mijn moet moeten mogen na naar niet niets nog nu
om omdat onder onze ook reeds sinds tegen tijdens toch toen tot uit uw van veel voor voordat waar waarom wanneer
waren wat welke wel werd wie wij wordt worden zal ze zelf zich zij zijn zo zonder zou zoals nooit beide`,
    shared: "die elk had is men met of ons op over te want",
  },
  pl: {
    own: `albo ale bez bo być był była było były będzie będą coś czy czyli dla dlaczego dlatego gdy gdzie ich ile inne inny
jak jaka jakie jako je jego jej jeszcze jeśli już każda każdy która które którego której który którym których mają
mi między mnie może można muszą musi na nad nam nas nawet nie nich nim niż oraz od podczas po ponieważ potem poza
przed przez przy są się skąd swoje ta tak także tego tej też tych tylko tym wszystkie wszystko więc za ze że żeby
zawsze nigdy kilka`,
    shared: "ci co go im jest ma pod tam te ten to tu u w we z",
  },
  cs: {
    own: `aby aj ale ani asi až bez bude budou byl byla bylo byly být což další jak jako jaké je jeho její jejich jen jenom
ještě jestli již jsem jsou kdo když která které kterého který kterých ke ku mají má máme mezi mi místo mohou musí
může na nad nebo než není od ona oni po podle pokud pouze proč protože před při přes se si své svůj ta tak také tato
tedy tento toho tom tomto tuto ty už více však všechny vždy za ze že vždycky nikdy několik`,
    shared: "by co do i k kde o pod pro proto s ten to u v ve z",
  },
  ru: {
    own: `а без более бы был была были было быть в вам вас весь во вот все всё всего всех вы где да даже для до его ее её если
есть ещё еще же за здесь и из или им их к как какая какой когда которая которого которой которые который которых кто
ли либо между меня мне может можно мы на над надо нам нас не него нее неё нет ни них но ну о об один однако он она
они оно от очень перед по под после потому почти при про с сам свой себя со так также такой там то того тоже той
только том тут ты у уже хотя чего чем через что чтобы чтоб эта эти это этого этой этом этот этих я нельзя нужно
должен должна должно должны могут всегда никогда несколько каждый каждая каждое каждые другой другие самый ничего`,
    shared: "",
  },
  uk: {
    own: `а або але без більше б би був була були було бути в вам вас весь від вже ви вона вони воно все всіх всі де для до є
його її за зі з і із й інші їх їм к коли кожен кожна кожний крім лише між мені ми може можна на навіть над нам нас
не немає ні ніж них но о об один однак однією перед під після по поки потім при про проте та так також там те тільки
ти то того тоді тому треба тут у усі хто це цей цього цієї ця ці через чи чого що щоб якщо як яка яке який яких які
я раз завжди ніколи кілька кожне інший інша`,
    shared: "",
  },
  tr: {
    own: `acaba ancak artık aslında ayrıca bana bazı belki beni bir biri birkaç bu bunu bunun bunlar burada böyle çok çünkü
daha değil diğer diye dolayı fakat gibi göre hem henüz hep hepsi hiç hangi ile ise için kadar karşı kendi ki mi mı
mü nasıl ne neden nerede olan olarak oldu olduğu olmak olması olur ona onlar onu onun orada önce sadece sana siz
sonra şey şu şöyle tarafından tüm üzere veya yani yerine yok zaten asla`,
    shared: "ama ben bile biz da de en her kim mu o sen var ve ya",
  },
  ar: {
    own: `في من إلى على عن مع هذا هذه ذلك تلك التي الذي الذين ما ماذا لا لم لن ليس ليست هو هي هم نحن أنا أنت كان كانت كانوا
يكون تكون قد لقد أن إن أنه إنه أنها إنها كل بعض غير بين بعد قبل عند عندما حتى حيث كما لكن لكي أو أم ثم إذا إذ لو لأن
لأنه هنا هناك أي أية كيف متى أين منذ خلال حول ضد دون بدون فقط أيضا أيضًا سوف تم يتم يجب يمكن فيه فيها منه منها له
لها لهم به بها عليه عليها الى او ان و ب ل دائما`,
    shared: "",
  },
  fa: {
    own: `از به با در که را این آن و یا برای تا هر هم نیز نه نمی می ها های ای اگر اما ولی پس چون چرا چه چگونه کجا کی کدام یک
است هست نیست بود بودند باشد باشند شد شده شود شوند می‌شود خواهد باید نباید کرد کرده کند کنند داد داده دارد دارند داشت
همه هیچ بین بعد قبل پیش روی زیر بر بی بدون درباره مورد توسط هنگام وقتی همین همان آنها آن‌ها ما من تو او شما ایشان
خود دیگر فقط بسیار خیلی کمتر بیشتر بیش همیشه هرگز`,
    shared: "",
  },
  vi: {
    own: `và của là có không được các những một cho với trong để này đó thì từ tại bởi vì nên nếu mà như cũng đã đang sẽ phải
cần rất nhiều ít hơn nhất mọi mỗi tất cả đều chỉ còn lại ra vào lên xuống đến theo về trên dưới giữa sau trước ngoài
nhưng hoặc hay vậy thế nào gì đâu sao bao tôi bạn họ chúng ta nó mình bị rằng cùng nữa vẫn chưa luôn thường bằng qua
việc sự cái`,
    shared: "ai con do khi",
  },
  id: {
    own: `adalah akan anda antara apa apakah atas atau bagaimana bagi bahwa banyak baru beberapa belum berapa bila bisa bukan
dalam dan dapat dari daripada dengan di dia hanya harus hingga itu jadi jangan jika juga kalau kami kapan karena
kata ke kepada kita lagi lain lebih maka masih mereka mungkin namun oleh pada paling para perlu pernah saat saja
saling sama sambil sampai sangat saya sebagai sebelum sebuah sebagian sejak selain selalu selama seluruh semua
sendiri seperti serta setelah setiap siapa suatu sudah supaya tanpa telah tentang terhadap tersebut tetapi tidak
untuk yaitu yang`,
    shared: "ada agar ini mana",
  },
};

/** Words read to decide which language a text is in. */
const readWords = 200;

interface Languages {
  /** The languages that a word identifies, by their place in `all`. */
  readonly byOwn: ReadonlyMap<string, readonly number[]>;
  /** All function words of each language. */
  readonly all: readonly ReadonlySet<string>[];
}

let known: Languages | undefined;

/** Made when first needed: most commands load this file and read no text. */
function languages(): Languages {
  if (known) return known;
  const byOwn = new Map<string, number[]>();
  const all: Set<string>[] = [];
  const split = (text: string): readonly string[] => text.split(/\s+/).filter(Boolean);
  for (const [at, { own, shared }] of Object.values(functionWords).entries()) {
    for (const word of split(own)) {
      const of = byOwn.get(word);
      if (of) of.push(at);
      else byOwn.set(word, [at]);
    }
    all.push(new Set([...split(own), ...split(shared)]));
  }
  known = { byOwn, all };
  return known;
}

/**
 * Reports which tokens of a text are function words of its language, if that is not English: of the languages that have a word of their own
 * in it, the one with the most of its words. English words of the text that it lacks count against it: an error message in German still
 * has its English words. Several, if they have equally many: `de` is a word of five. Null: no token is.
 */
export function functionWordsIn(tokens: readonly string[]): ((token: string) => boolean) | null {
  const { byOwn, all } = languages();
  const own = new Map<number, number>();
  for (let at = 0; at < tokens.length && at < readWords; at += 1) {
    const of = byOwn.get(lowerCase(tokens[at] ?? ""));
    if (of) for (const language of of) own.set(language, (own.get(language) ?? 0) + 1);
  }
  // Most texts are English.
  if (own.size === 0) return null;
  const read = tokens.slice(0, readWords).map(lowerCase);
  const english = read.filter((word) => stopWords.has(word) && !byOwn.has(word));
  const counted = [...own].flatMap(([at, count]) => {
    const words = all[at] ?? new Set<string>();
    const against = english.filter((word) => !words.has(word)).length;
    return count > against ? [{ words, count: read.filter((word) => words.has(word)).length }] : [];
  });
  const most = Math.max(...counted.map(({ count }) => count));
  const best = counted.filter(({ count }) => count === most);
  return best.length === 0 ? null : (token) => best.some(({ words }) => words.has(lowerCase(token)));
}

/** Only the first letter of a function word is ever a capital: `De` is one, `DE` and `IDs` are none. */
function lowerCase(token: string): string {
  const first = token.charCodeAt(0);
  if (first < 65 || (first > 90 && first < 128)) return token;
  const second = token.charCodeAt(1);
  return second >= 65 && second <= 90 ? token : token.toLowerCase();
}
