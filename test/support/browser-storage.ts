import type { Page } from 'playwright-core';

/**
 * Everything that the browser keeps of the page's origin, as text: both storages, every IndexedDB,
 * every cache, and cookies.
 */
export async function everythingKept(page: Page): Promise<string> {
  const ofPage = await page.evaluate<unknown>(`(async () => {
    const answer = (request) => new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    const databases = [];
    for (const { name } of await indexedDB.databases()) {
      const db = await answer(indexedDB.open(name));
      for (const store of db.objectStoreNames) {
        databases.push(await answer(db.transaction(store).objectStore(store).getAll()));
      }
      db.close();
    }
    const caches = [];
    for (const name of await globalThis.caches.keys()) {
      const cache = await globalThis.caches.open(name);
      for (const request of await cache.keys()) {
        caches.push(request.url, await (await cache.match(request)).text());
      }
    }
    return [{ ...localStorage }, { ...sessionStorage }, databases, caches, history.state, window.name];
  })()`);
  return JSON.stringify([ofPage, await page.context().cookies()]);
}
