/** What a hostile server does, and the refusal that it must have. */
import type { Replies } from '../../../../support/remote-server.ts';

export interface Attack {
  name: string;
  /** `origin` is the hostile server's; `other` that of a server that must hear nothing. */
  replies(origin: string, other: string): Replies;
  /** The refusal's code; null when discovery succeeds all the same. */
  code: string | null;
  /** Part of its message. */
  says?: string;
  isTemporary?: boolean;
  /** Whether it ends by the limit of time alone. */
  isSlow?: boolean;
  /** More requests than this are too many. */
  maxRequests?: number;
}
