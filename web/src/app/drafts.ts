/**
 * What somebody typed and did not send yet, kept for this tab: it survives navigation and a reload, and
 * ends with the tab. Kept by person and workspace, so that signing out and leaving a workspace drop it.
 * Never for values that are secret.
 */
interface Place {
  userId: string;
  slug: string;
}

const prefix = 'draft ';
const prefixOf = ({ userId, slug }: Place) => `${prefix}${userId} ${slug} `;

/** The draft of this name, or null. */
export function readDraft(place: Place, name: string): unknown {
  try {
    const text = sessionStorage.getItem(prefixOf(place) + name);
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

/** Null drops it. A browser without room or permission keeps none. */
export function writeDraft(place: Place, name: string, draft: unknown): void {
  try {
    if (draft === null) {
      sessionStorage.removeItem(prefixOf(place) + name);
    } else {
      sessionStorage.setItem(prefixOf(place) + name, JSON.stringify(draft));
    }
  } catch {
    // What is typed is still on the page.
  }
}

/** Those of one workspace, or all. */
export function forgetDrafts(place?: Place): void {
  const start = place === undefined ? prefix : prefixOf(place);
  try {
    for (const key of Object.keys(sessionStorage).filter((name) => name.startsWith(start))) {
      sessionStorage.removeItem(key);
    }
  } catch {
    // There are none, then.
  }
}
