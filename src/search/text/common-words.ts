/**
 * Stems that are common in developers' texts whatever the project, by their rarity: 0 for a stem that every text has, 1 for
 * one that is not listed. Counted on the public sets by `npm run bench:silence -- DIR --words`, which prints them.
 */
const byRarity: Readonly<Record<string, string>> = {
  "0.3": `
1 bug fix issu not return`,
  "0.4": `
0 2 add all code creat descript error file get go self successfulli summari test use work`,
  "0.5": `
10 3 5 agent call chang check class com command current data done fail field find function github give help http imag
implement import key last like list m make name need new no none object one path problem python remov reproduc run see
set step string support take time true try type updat user valu version window x`,
  "0.6": `
4 6 after alwai arg argument arrai base block branch break build case caus client close commit config configur connect
contain context convert d databas default delet depend describ detect differ directori document doesn e empti except
exist failur fals featur flag follow format gener git good handl id improv index input instead int intern java json
keep line load log look merg messag method migrat miss model modifi n now number onli open oper option order org os
output page param paramet pars pass pr print project provid py queri rais read releas replac request result same
server show start statu str sync system tabl text tim two upgrad valid warn way write www`,
  "0.7": `
17 18 60 7 8 9 accept access activ ad address allow alreadi also analysi api attribut auto b back bash befor behavior
between byte c cach cannot child clean cli collect column come comment common compil complet content copi correctli
count crash custom date db de definit deprec design dir displai doc don down ds due duplic dure element enabl encod
end ensur environ even event exampl execut expect express f filter first form fs full g group happen hard hash header
hook html ids ignor includ info init initi instal instanc integr invalid io item iter job join know label level link
linux local locat logic long main manag mani map match max mean memori mode modul move multi multipl never next nice
node non old p packag parent part pattern per perform place plai point posit prefix pretti process properti pull push
r rang recent refer relat renam repo report requir resolv respons right root row rpc save script search select separ
session share simplifi singl size skip someth sourc specif specifi split sql sqlite state still stop storag store
stream sure symbol tag target task templat thing think timeout titl togeth token track transform tree uniqu unit url
usag util variabl vector verifi view wait want web win without wrap wrong y`,
  "0.8": `
100 11 12 13 14 15 30 64 abl account across action actual anoth anyth app appear append appli around assert assign
async attach auth avail avoid background bar best better big binari bite blank book bound buffer calcul catch char
charact choic ci cleanup clear clone cluster color commun compar compat comput condit conflict consid consist continu
coordin core correct creation cross cursor dai day debug defin detail determin develop direct disabl docker download
driver easi edg email endpoint engin entri env equal escap evalu everi everyth excel exit explor extend extern extra
figur filenam filesystem fill final fit forc forward free func futur global goal h handler hang head helper hi histori
ident identifi inconsist incorrect incorrectli inform interfac j js k kei kind l larg latest lead left length librari
limit live lock logger longer loop mac may metadata metric min month nativ nest normal note notic null num o optim
origin other overrid parser password patch permiss plan platform plugin port possibl post pre present prevent produc
product progress properli proxi put q random raw readi real recommend record recurs redirect reduc ref refactor
regress remot render reset resolut resourc respect retri rout runtim safe schema second section secur seem send
sequenc serial servic setup sever sh shape shell short sign similar simpl slow small socket sometim sort space special
standard stat static statist strip struct structur style sub submit success suggest suit super syntax team termin
thread throw timestamp tool top total trail transact tri trigger turn under understand v v2 var w walk width wrapper
xml yaml year z zero`,
};

const rarities: ReadonlyMap<string, number> = new Map(
  Object.entries(byRarity).flatMap(([rarity, stems]) =>
    stems
      .trim()
      .split(/\s+/)
      .map((stem) => [stem, Number(rarity)] as const),
  ),
);

/**
 * Returns how rare a stem is in developers' texts of any project, 0 to 1. In a store of thirty lessons every word is rare; this
 * distinguishes `page` from `mutex`.
 */
export function generalRarity(stem: string): number {
  return rarities.get(stem) ?? 1;
}
