/** What was in a set when it was offered and is no longer decided with the others, and why. */
import type { PermissionRequest } from '../../api/types.ts';
import { Banner } from '../../components/banner.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SessionLink } from './session-link.tsx';
import { goneText, type WhyGone } from './together.ts';

export function TogetherGone({ gone }: { gone: readonly { request: PermissionRequest; why: WhyGone }[] }) {
  return gone.length === 0 ? null : (
    <Banner
      tone="wait"
      role="status"
      title={gone.length === 1 ? '1 request was left out' : `${gone.length} requests were left out`}
    >
      <ul className="together-outcomes" aria-label="Left out">
        {gone.map(({ request, why }) => (
          <li key={request.id}>
            The one asked <RelativeTime at={request.created_at} /> in <SessionLink request={request} />:{' '}
            {goneText[why]}.
          </li>
        ))}
      </ul>
    </Banner>
  );
}
