/**
 * What the page needs to work under its strict Content-Security-Policy. Imported before anything else.
 * Styles that libraries add at run time carry the nonce of this page; no text with markup ever becomes HTML.
 */
import { config } from 'zod/v4/core';

// Schemas of contract/ would otherwise probe whether `eval` is allowed: it is not, and
// the attempt is reported.
config({ jitless: true });

declare global {
  interface Window {
    /** Where libraries that add style elements look for the nonce. */
    __webpack_nonce__?: string;
    trustedTypes?: {
      createPolicy(name: string, rules: { createHTML(text: string): string }): unknown;
    };
  }
}

/** The nonce of this page's styles; empty where nothing checks it (the development server). */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';

window.__webpack_nonce__ = styleNonce;

// The component library fills style elements through innerHTML: style sheets pass, markup does not. There is
// no rule for scripts, so that none is ever made from text.
window.trustedTypes?.createPolicy('default', {
  createHTML(text) {
    if (text.includes('<')) {
      throw new TypeError('markup is never made from text here');
    }
    return text;
  },
});
