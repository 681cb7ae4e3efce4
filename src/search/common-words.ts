/**
 * Stems that are in the texts of several unrelated projects, by their rarity: 0 for a stem that every text has, 1 for one
 * that is not listed. Counted on the public sets by `npm run bench:silence -- DIR --words`, which prints them.
 */
const byRarity: Readonly<Record<string, string>> = {
  "0.2": `
def fix not return`,
  "0.3": `
0 1 2 3 add all bug code creat descript error fail file get go http issu list make problem self set successfulli
summari support test use valu work`,
  "0.4": `
10 4 5 after agent arg arrai base break build call chang check class com command convert current data default delet
differ document doesn done except exist fals field find format function gener git github give handl help hey id imag
implement import index keep key last like line log look m merg method miss model modifi n name need new no none object
one onli open output param path perfect provid python rais read remov reproduc request result run see show start step
str string sync system take text thank time true try type updat upgrad user valid version way window www x`,
  "0.5": `
17 18 6 60 7 8 9 accept access ad address allow alreadi also alwai api argument attribut auto b back bash befor
behavior between block branch browser byte c cach cannot case caus child clean cli client close cmd column come
comment commit common compil complet config configur connect contain content context copi correctli count crash custom
d daemon databas date db de definit depend describ design detect dir directori displai doc don down ds due duplic dure
e element empti enabl encod end environ even event exampl execut expect experi export express f failur featur filter
first flag float follow form fs full g good group happen hard hash header hook html hub ids ignor improv includ info
init input instal instanc instead int integr intern invalid io item iter java job join json know label len level life
link linux load local logic long lot main manag mani map match matrix max md mean memori messag migrat mode modul move
multi multipl natur never next nice non now number oper option order org os packag page paramet parent pars part pass
perform person place plai point posit pr pretti print process project pull push py queri r rang recent refer relat
releas renam replac repo report requir resolv respons right root same save script search select server session share
size someth sound sourc specifi sql sqlite stai state statu still stop storag store stream sure symbol tabl tag target
task templat thing think tim togeth token tombston track transform tree two uniqu unit url usag util variabl verifi
view wait want warn web without workflow write wrong y`,
  "0.6": `
100 11 12 13 14 15 16 19 20 30 64 abl account across action activ actual adapt addit admin analysi annot anoth anyth
app appear append appli applic around artifact assert assign async attach attempt attr auth automat avail avoid
backend background bad bar batch best better big binari bite blank blob bodi book boolean bound box bucket buffer bump
busi button calcul catch chain char charact chat choic chunk ci cleanup clear clone cluster collect collis color
combin commun compact compar compat complex comput condit conflict consid consist constant constraint continu control
coordin core correct cos counter cover coverag creation credenti critic cross cursor cv dai dataset day debug decod
defin deprec detail determin dev develop dimens direct disabl docker download driver drop easi edg email endpoint
engin ensur entri enum env equal escap evalu everi everyth excel exclud exit explor extend extens extern extra extract
fallback famili fetch figur filenam filesystem fill final fit flush folder forc foreign formula forward free func
futur global goal graph grow h handler hang head hello helper hi high histori home host ident identifi impact
inconsist incorrect incorrectli indent inform inherit initi inner insert instruct integ interfac introduc j js k kei
kind l larg latest layer lead learn left length librari limit lint lite live locat lock logger longer loop lose lower
mac manifest manual mark marker may meet meta metadata metric min mod moment month nativ nest node normal note notic
null num o old onc optim origin other overrid p panda parser partial particular password patch pattern per permiss
persist phase plan platform plot plugin pop port possibl post pre prefix present preserv prevent primari produc
product progress propag properli properti proto protocol proxi put q question race random raw reach readi real reason
recommend record recurs redirect reduc ref refactor regress remot render represent reset resolut resourc respect
restor retri revers rout row rpc runtim safe sampl scale schema scope screen second section secur seem send separ
sequenc serial servic setup sever sh shape shell short side sign silent similar simpl simplifi singl site skip slow
small socket sometim sort space spark special specif split sq standard stat statement static statist strip struct
structur style sub submit success suggest suit sum super switch syntax sys tab team tell termin thread throw timeout
timestamp tip titl tool top total trail transact tri trigger turn typeerror u unabl under understand unexpect unicod
unus upload v v0 v2 val var vector visibl visit w walk watch week width win word world wrap wrapper xml yaml year z
zero`,
  "0.7": `
01 21 22 23 24 25 27 28 32 33 36 37 39 404 45 50 80 abil abov abs absolut abstract advanc affect again against aggreg
ago ai algorithm alia alias align aliv alloc almost along alter altern analyz anim apart appropri arbitrari
architectur archiv area ask assist assum atom authent author await awar backward basic becom begin behaviour behind
believ below benchmark bin bottom brand bulk cal callback caller cancel canon capabl captur cast categori cell center
central certain channel choos claus click comparison compon compos compress concaten concurr conf confirm confus
consol construct constructor convers cooki correspond corrupt cost cp css cycl deal decid decis declar decor dedic
deep defer deleg depth deriv desir didn difficult digit directli dirti discov discuss disk distinct distribut domain
dot doubl draw drive dump durat dynam easili edit effect effort elimin embed emit en encount enforc enhanc enough
enter entir equival err especi estim eval exec executor expand expir exponenti expos face factor factori far fast fine
finish fire floor flow focu focus followup forget framework freez fresh friendli fulli googl grace guess guid hand
height hide hint hit hold horizont hour human illeg incomplet increas increment indic infinit inlin insid instanti
interact interv invers invok involv ip ipv6 isn isol kill lack lang languag later layout lazi least leav legaci legend
letter lib light linear listen login lookup loss low machin macos magic maintain man mask master mat math maximum mayb
mb mechan media member mention minim minor minut mislead mix mkdir monitor ms multipli mysql namespac navig neg net
network notebook noth notif numer observ occur offer offset often ok op opt organ oss otherwis outsid overlap overwrit
pack pair parallel partit past period physic pi pick pid pin pipe pipelin plain plu pointer polici pool potenti power
precis predict prepar preview previou previous prioriti probabl profil program prompt proper propos protect prs prune
public publish purpos pv6 pylint qualiti queue quick quot rate readabl readm rebuild receiv recip referenc reflect
refresh regex region regist registri regular reject rel relationship reload remain repeat repositori repres resili
rest restart retriev rewrit robust role rollback rotat round rs rule runner sai satisfi say scan scenario schedul
score secret seek sens seq sequenti seri serv shortcut shouldn shutdown signal signatur slash slice slider snapshot
solut solv speed squash src stabl stack stage startup stick strategi strict subject subsequ succe summar temp term
theme though three ticket timer tmp todai touch trace train transit translat treat trust twice txt ubuntu ui underscor
union unknown unless unnecessari until upper uri usernam usual utf v1 v3 variou verbos video visual websit weight
white whole wish within worker writer yes zip`,
  "0.8": `
00 02 04 05 07 08 120 123 128 200 26 29 31 40 41 42 500 accord accumul acquir actor adjust adopt afterward age among
amount answer anymor aren arm arm64 articl associ assumpt attent backoff behav belong benefit beyond black blog board
bold bootstrap boundari bracket buggi builder builtin calendar cap cat categor cd certif checkout circl circular
cleaner co composit compound concern consum contact contribut convent corner correl coupl cpu cut daili darwin dash
deadlock degre desktop despit destin destroi digest disconnect discret dom earli earlier easier echo editor effici eof
essenti eventu exact exactli exceed exe expans explain explicit explicitli ext extrem fall faster feat feed feedback
flexibl footer forev fork forum four frequent further gc getter glob hierarchi highlight honor hostnam hot ideal idl
immedi implicit inc inclus incompat independ individu infer inject insensit instrument intend interrupt invert
keyboard launch less let loader ls m1 m2 mainten major markdown marshal mess middl minimum mm modif mostli mous
multipart mutabl mutual necessari newer nois noop occurr offici older omit ops osx overal overflow owner paus peer pip
pkg placehold player popul possibli prefer primit procedur prop purg quickli rc reader recogn reconnect recov red
regardless relev reli reliabl repli repro reserv respond reus rev revis rf risk rm roll router sandbox sanit scheme
sci sec segment sender sensit seriou shift ship signific singleton situat sleep slot slug sm smaller smart smooth
snippet soft softwar span spars spec stabil subdirectori subset substitut suffix suppli suppress surfac symlink
symmetr synchron tail teardown threshold throughout toggl toolkit topic tricki troubl truncat twitter uncheck undefin
underli unfortun unifi univers unset unsupport uppercas upstream viewer virtual void wai wasn watcher weak welcom
whenev wiki workaround xxx yum z0 zone`,
  "0.9": `
09 90 annoi arch clariti clock coalesc consumpt dark dashboard demo emphas excess garbag halt inventori pain particip
portabl prep quiet ram renew topolog tracker trap`,
};

let rarities: ReadonlyMap<string, number> | undefined;

/** Made when first needed: most commands load this file and look nothing up. */
function allRarities(): ReadonlyMap<string, number> {
  rarities ??= new Map(
    Object.entries(byRarity).flatMap(([rarity, stems]) =>
      stems
        .trim()
        .split(/\s+/)
        .map((stem) => [stem, Number(rarity)] as const),
    ),
  );
  return rarities;
}

/**
 * Returns how rare a stem is in developers' texts of any project, 0 to 1. In a store of thirty lessons every word is rare; this
 * distinguishes `page` from `mutex`.
 */
export function generalRarity(stem: string): number {
  return allRarities().get(stem) ?? 1;
}
