// Words of the page's language. The catalog is fetched once, before anything that imports this runs.

const RETRY_MS = 1000; // a server that restarts is back within seconds

export const language = document.documentElement.lang || "en";

async function load() {
  for (;;) {
    try {
      const answer = await fetch(`/texts/${encodeURIComponent(language)}.json`);
      if (answer.ok) return await answer.json();
    } catch {
      // Not there yet: once more.
    }
    await new Promise((done) => setTimeout(done, RETRY_MS));
  }
}

const catalog = await load();

/** A text with its values in place: `text("table.position", {position: 3})`. A key there is not shows itself. */
export function text(key, values = {}) {
  const found = Object.hasOwn(catalog, key) ? catalog[key] : key;
  return found.replace(/\{(\w+)\}/g, (place, name) => (Object.hasOwn(values, name) ? String(values[name]) : place));
}

/** Whether there is such a text: for words that come from the table, which may be newer than the page. */
export function has(key) {
  return Object.hasOwn(catalog, key);
}
