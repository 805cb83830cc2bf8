/** Says what an approval with a passkey needs that the person does not have here. */
import { usePasskeys } from '../../api/passkeys.ts';
import { passkeys } from '../../app/paths.ts';
import { Banner } from '../../components/banner.tsx';
import { TextLink } from '../../components/text-link.tsx';

/** What blocks an approval; null for nothing, and while it is not known. */
export type PasskeyObstacle = { kind: 'address'; text: string } | { kind: 'none' } | null;

export function usePasskeyObstacle({ needs_passkey: isNeeded }: { needs_passkey: boolean }): PasskeyObstacle {
  const { data } = usePasskeys({ enabled: isNeeded });
  if (!isNeeded || data === undefined) {
    return null;
  }
  if (data.unavailable !== null) {
    return { kind: 'address', text: data.unavailable };
  }
  return data.passkeys.some(({ origin }) => origin === window.location.origin) ? null : { kind: 'none' };
}

export function PasskeyNote({ obstacle }: { obstacle: PasskeyObstacle }) {
  if (obstacle === null) {
    return null;
  }
  return (
    <Banner tone="wait" title="This has to be approved with a passkey">
      {obstacle.kind === 'address' ? (
        `${obstacle.text}.`
      ) : (
        <>
          You have none for this address. Add one under <TextLink to={passkeys}>Your passkeys</TextLink>, and
          come back.
        </>
      )}
    </Banner>
  );
}
