import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { hasSingleKeys } from '../../app/kept-choice.ts';
import { takesLetters } from '../../components/is-field.ts';
import { useArmed } from '../../components/use-armed.ts';
import { movedTo, stepOf } from './queue-keys.ts';

/** On what opens a request in the inbox. */
export const inQueue = { 'data-in-queue': true };

/**
 * `j` and `k` move through the inbox: the focus from row to row, and with a request in view to the next or
 * the one before, which arms again. They decide nothing, and are dead while another dialog is open.
 */
export function useQueueKeys({
  ids,
  shown,
  show,
}: {
  ids: readonly string[];
  /** The request in view; null while the inbox is. */
  shown: string | null;
  show: (id: string) => void;
}): void {
  const armed = useArmed(shown ?? '');
  const queries = useQueryClient();
  /** The ids when the one in view was last among them. */
  const before = useRef(ids);
  useEffect(() => {
    if (shown === null || ids.includes(shown)) {
      before.current = ids;
    }
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const step = stepOf(event, {
        ...{ takesLetters: takesLetters(event.target), armed },
        isPending: queries.isMutating() > 0,
      });
      const dialogs = document.querySelectorAll('[role=dialog]').length;
      if (step === 0 || !hasSingleKeys() || event.defaultPrevented || dialogs !== (shown === null ? 0 : 1)) {
        return;
      }
      if (shown === null) {
        const rows = [...document.querySelectorAll<HTMLElement>('[data-in-queue]')];
        const row = movedTo(rows, rows.find((other) => other === document.activeElement) ?? null, step);
        row?.focus();
        return;
      }
      const next = movedTo(ids, shown, step, before.current);
      if (next !== null) {
        show(next);
      }
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
}
