import { expect, test } from "vitest";
import { sampleDocument, sourceOf } from "../../test/temp-documents.ts";
import { openTempStore } from "../../test/temp-store.ts";
import type { SearchDocument } from "./document.ts";
import { functionWordsIn } from "./function-words.ts";
import { addDocuments } from "./index-documents.ts";
import { textQuery } from "./query.ts";
import { search } from "./search.ts";

const now = new Date("2026-02-01T00:00:00.000Z");

/** Sixty newer lessons, so that being among the newest helps none of the lessons that are looked for. */
const newer = Array.from({ length: 60 }, (_, at) =>
  sampleDocument({ id: `n-${at}`, title: "", body: `Walrus ${at} swims north of the harbour` }),
);

/** Returns the ids of the first three of some old lessons, which are named by their numbers, and newer ones. */
async function find(
  text: string,
  lessons: readonly string[],
  others: readonly SearchDocument[] = newer,
): Promise<readonly string[]> {
  const db = await openTempStore();
  const old = lessons.map((body, at) => sampleDocument({ id: `old-${at}`, title: "", body }));
  const documents = [...old, ...others];
  await db.transaction((tx) => addDocuments(tx, documents));
  const sources = [sourceOf(documents)];
  const { hits } = await search(db, { query: textQuery(text), sources, limit: 3, now, abstain: false });
  return hits.map(({ document }) => document.id);
}

test.each([
  ["Rechnungen", "Eine Rechnung erhält ihre Nummer beim Versand."],
  ["Kündigungen", "Die Kündigung muss drei Monate vorher eingehen."],
  ["Prüfungen", "Der Filter prüft nur den Betreff."],
  ["traducir", "Cada clave necesita su traducción."],
  ["bloqueadas", "La cuenta se bloquea tras cinco intentos."],
  ["numeración", "Ningún número puede faltar."],
])("LEARN-4: %s finds an old lesson with another form of the word", async (text, lesson) => {
  expect((await find(text, [lesson]))[0]).toBe("old-0");
});

test.each([
  ["Rechnungsnummer", "Jede Nummer steht auf ihrer Rechnung."],
  ["Gutscheinprüfung", "Gutscheine für Bücher prüft die Kasse."],
  ["Feiertagskalender", "Die Feiertage sind je Bundesland verschieden."],
  ["Serverzertifikat", "Das Zertifikat des Servers ist selbst signiert."],
])("LEARN-4: %s is split where its parts are in the index", async (text, lesson) => {
  expect((await find(text, ["Die Suche kennt Artikel.", lesson]))[0]).toBe("old-1");
});

test("LEARN-4: a compound finds the lesson with both of its parts before those with one", async () => {
  const lessons = [
    "Jede Nummer hat acht Stellen.",
    "Die Rechnung hat eine Nummer.",
    "Eine Rechnung ist ein Beleg.",
  ];
  expect((await find("Rechnungsnummern", lessons))[0]).toBe("old-1");
});

test("LEARN-4: an old lesson in another language is found under 300 newer ones with its function words", async () => {
  const lesson = "Für Buchungen gilt: der Bestand wird nie direkt geändert.";
  const words = ["Für die", "Mit dem", "Nicht für", "Auf der", "Und den"];
  const others = Array.from({ length: 300 }, (_, at) =>
    sampleDocument({ id: `n-${at}`, title: "", body: `${words[at % 5]} Kran ${at} ${words[at % 4]} Tor.` }),
  );
  expect(
    (await find("Die Buchungen sind für den Abschluss nicht mit dem Saldo da", [lesson], others))[0],
  ).toBe("old-0");
});

test("LEARN-4: function words of another language do not decide between lessons", async () => {
  const lessons = [
    "Der Export ist für die Buchhaltung und nicht für das Lager.",
    "Zertifikat abgelaufen: erneuern.",
  ];
  expect(
    (await find("Warum ist das Zertifikat für die API nicht gültig und wird das nicht gemeldet", lessons))[0],
  ).toBe("old-1");
});

test.each([
  ["镜像源", "构建的时候请设置国内镜像源。"],
  ["消費税", "消費税は明細ごとに切り捨てる。"],
])(
  "LEARN-4: the characters of a short title, %s, count more than those of its description",
  async (title, lesson) => {
    const db = await openTempStore();
    const description = "用户反馈页面很慢,每天早上接口响应变长。朝の応答時間が長い。";
    const other = "接口响应的缓存每天清理。応答時間は毎月調べる。";
    const documents = [lesson, other].map((body, at) => sampleDocument({ id: `l-${at}`, title: "", body }));
    await db.transaction((tx) => addDocuments(tx, [...documents, ...newer]));
    const query = { ...textQuery(title), description };
    const sources = [sourceOf([...documents, ...newer])];
    const { hits } = await search(db, { query, sources, limit: 3, now, recency: false, abstain: false });
    expect(hits[0]?.document.id).toBe("l-0");
  },
);

test("LEARN-4: endings in hiragana do not outweigh the words that they belong to", async () => {
  const lessons = ["保存できないときは再起動する。", "古い値が残る原因は権限。"];
  expect((await find("権限がないときに直す", lessons))[0]).toBe("old-1");
});

/** A task in each language, a lesson with other words of that language, and one that fits the task. */
test.each([
  [
    "Refuser les devoirs de plus de 20 Mo",
    "Les jours de neige de la mairie.",
    "Les devoirs passent par nginx.",
  ],
  ["Aviso de falta de vagas", "A cor de um dos cartazes de papel.", "As vagas vêm do hospital."],
  ["Stampa delle etichette di spedizione", "Il colore delle mura di città.", "Le etichette usano ZPL."],
  ["Печать этикеток для заказов", "Для погоды на завтра есть сайт.", "Шрифт этикеток без кириллицы."],
  ["Boekingen van de klant verwijderen", "Het weer van de zomer en de lente.", "Een klant heeft boekingen."],
  ["Wysyłka faktury do klienta", "Pogoda do jutra jest dla nas.", "Faktury mają numer."],
  ["Export faktur pro klienty", "Počasí pro zítřek je dobré.", "Číslo faktur se nemění."],
  ["Видалення рахунків для клієнта", "Погода для нас на завтра.", "Номер рахунків не змінюється."],
  ["Müşteri için fatura ve kargo", "Hava için bir rapor ve çay.", "Fatura numarası değişmez."],
  ["حذف الفاتورة من النظام", "الطقس من الصيف الى الشتاء.", "رقم الفاتورة لا يتغير."],
  ["حذف فاکتور از سامانه", "هوا از تابستان تا زمستان است.", "شماره فاکتور ثابت است."],
  ["Xóa hóa đơn của khách", "Thời tiết của mùa này và mùa sau.", "Số hóa đơn không đổi."],
  ["Hapus faktur untuk pelanggan", "Cuaca untuk besok adalah cerah.", "Nomor faktur tidak berubah."],
])("LEARN-11: %s gives no place to a lesson with its function words alone", async (text, strange, lesson) => {
  expect(await find(text, [strange, lesson])).toEqual(expect.not.arrayContaining(["old-0"]));
  expect((await find(text, [strange, lesson]))[0]).toBe("old-1");
});

test.each(["Read the de and it locales", "Delete a user of the plan if it is over", "SMS for the IDs of LA"])(
  "LEARN-4: English stays English: %s",
  (text) => expect(functionWordsIn(text.split(" "))).toBeNull(),
);
