/** Names of what a grant is for and of who holds it. */
import type { Grant } from '../../api/types.ts';
import { useNames } from '../../api/use-names.ts';
import { useMe } from '../../app/signed-in.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { endpointOf, matterOf } from './grant-text.ts';

/** The scope, the agent or the secret that it names, with the endpoint of a model's key. */
export function Matter({ grant }: { grant: Grant }) {
  const { nameOf } = useNames();
  const matter = matterOf(grant);
  const name = (grant.grant_type === 'spawn' ? nameOf(matter) : null) ?? matter;
  const endpoint = endpointOf(grant);
  return <VisibleText text={endpoint === null ? name : `${name} at ${endpoint}`} />;
}

export function Holder({ grant: { subject } }: { grant: Grant }) {
  const isMe = useMe().user.id === subject.id;
  return (
    <>
      {subject.type === 'agent' ? 'agent ' : ''}
      <VisibleText text={subject.name} />
      {isMe ? ' (you)' : ''}
    </>
  );
}
