/**
 * A mutex for each key: its work runs one after the other, in order of arrival; other keys run concurrently.
 */
export type KeyedMutex = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;

export function createKeyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const result = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, result);
    const forget = () => {
      if (last.get(key) === result) {
        last.delete(key);
      }
    };
    result.then(forget, forget);
    return result;
  };
}
