/** What a workflow shows in Temporal's UI of what it is about. */
import type { NamedKind } from '../store/sessions/workflow-summaries.ts';
import { readSubject } from '../store/sessions/workflow-summaries.ts';
import type { ActivityDependencies } from './dependencies.ts';

export interface Shown {
  /** Null where the namespace does not know the attribute, or what it names was removed. */
  subject: string | null;
  searchAttributesKnown: boolean;
}

export async function shownOf(
  {
    db,
    searchAttributesKnown,
    subjectAttributeKnown,
  }: Pick<ActivityDependencies, 'db' | 'searchAttributesKnown' | 'subjectAttributeKnown'>,
  kind: NamedKind,
  id: string,
): Promise<Shown> {
  return { subject: subjectAttributeKnown ? await readSubject(db, kind, id) : null, searchAttributesKnown };
}
