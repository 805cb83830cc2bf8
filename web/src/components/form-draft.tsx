/**
 * Keeps what is typed into a form for this tab, and says when it has brought something back.
 * Never for secret values.
 */
import { Button, Group } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { readDraft, writeDraft } from '../app/drafts.ts';
import { useMe } from '../app/signed-in.tsx';
import { withoutSecrets } from '../text/draft-text.ts';
import { Banner } from './banner.tsx';

/** What this needs of Mantine's form. */
interface DraftedForm<Values extends object> {
  values: Values;
  setValues(values: Partial<Values>): void;
  isDirty(): boolean;
  reset(): void;
}

interface FormDraftProps<Values extends object> {
  form: DraftedForm<Values>;
  /** The workspace whose form it is; `_` for a form outside of any. */
  slug: string;
  /** Tells the forms of a workspace apart. */
  name: string;
  /** What sends the form. Once it has succeeded there is nothing to keep. */
  save: { isPending: boolean; isSuccess: boolean };
  /** What the page's address says, which no draft changes. */
  fixed?: Partial<Values>;
}

/** Above the first field of the form. */
export function FormDraft<Values extends object>({ form, slug, name, save, fixed }: FormDraftProps<Values>) {
  const { user } = useMe();
  const place = { userId: user.id, slug };
  const [broughtBack, setBroughtBack] = useState(false);
  const hasRead = useRef(false);
  const { values } = form;
  const isSent = save.isSuccess && !form.isDirty();
  useForgetWhenLeft(place, name, save.isPending || isSent);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the values is kept, by hand or by code.
  useEffect(() => {
    if (isSent) {
      writeDraft(place, name, null);
      return;
    }
    if (!hasRead.current) {
      hasRead.current = true;
      const draft = readDraft(place, name);
      if (draft !== null) {
        form.setValues({ ...(draft as Partial<Values>), ...fixed });
        setBroughtBack(true);
      }
      return;
    }
    writeDraft(place, name, form.isDirty() ? withoutSecrets(values) : null);
  }, [values, isSent]);
  const startOver = () => {
    form.reset();
    setBroughtBack(false);
  };
  return broughtBack ? (
    <Banner role="status" tone="idle">
      <Group justify="space-between">
        Your draft was restored. Values that look like secrets were not kept.
        <Button size="compact-sm" variant="default" onClick={startOver}>
          Discard draft
        </Button>
      </Group>
    </Banner>
  ) : null;
}

/** A form may be unmounted before it sees its success: a page navigates to the new item at once. */
function useForgetWhenLeft(place: { userId: string; slug: string }, name: string, isSent: boolean): void {
  const sent = useRef(isSent);
  useEffect(() => {
    sent.current = isSent;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the form is left; its place never changes.
  useEffect(
    () => () => {
      if (sent.current) {
        writeDraft(place, name, null);
      }
    },
    [],
  );
}
