/** What jest's scheduler listens to: listeners that are awaited. */
export function createEvents() {
  const listeners = new Map();
  return {
    on(name, listener) {
      const ofName = listeners.get(name) ?? new Set();
      listeners.set(name, ofName.add(listener));
      return () => ofName.delete(listener);
    },
    async emit(name, payload) {
      for (const listener of listeners.get(name) ?? []) {
        await listener(payload);
      }
    },
  };
}
