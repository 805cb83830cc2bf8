import { useRef } from 'react';

/**
 * The header that lets a form or dialog resend a request idempotently: one key for as long as the body stays
 * the same. For a form that closes on success; one that stays open needs another key then.
 */
export function useIdempotencyKey(): (body: unknown) => { 'Idempotency-Key': string } {
  const last = useRef({ text: '', key: '' });
  return (body) => {
    const text = JSON.stringify(body);
    if (text !== last.current.text) {
      last.current = { text, key: newIdempotencyKey() };
    }
    return { 'Idempotency-Key': last.current.key };
  };
}

/** For one request of several. `crypto.randomUUID` is missing where a page is not served over TLS. */
export const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
