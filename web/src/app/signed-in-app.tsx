/** What a signed-in person has: the page of the address, kept up to date, with the styles of all pages. */
import './table.css';
import './call.css';
import './request.css';
import './session.css';
import './timeline.css';
import './markdown.css';
import { Modal, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { readConnection, subscribeConnection } from '../api/connection.ts';
import { Live } from '../api/stream/live.ts';
import { LiveContext } from '../api/stream/use-live.ts';
import type { Me } from '../api/types.ts';
import { SignInChoices } from '../pages/sign-in/sign-in-choices.tsx';
import { reloadSignedOut } from './reload-signed-out.ts';
import { Routes } from './routes.tsx';
import { MeProvider, useMe } from './signed-in.tsx';

/** What is said when the platform may be unreachable, or has been upgraded: it is not loaded only then. */
const loadWarnings = () =>
  Promise.all([import('./somebody-else-dialog.tsx'), import('../components/sign-out-failure.tsx')]);

export default function SignedInApp({ me }: { me: Me }) {
  useEffect(() => void loadWarnings().catch(() => undefined), []);
  return (
    <MeProvider me={me}>
      <LiveUpdates>
        <Routes />
      </LiveUpdates>
      <SessionLostDialog />
    </MeProvider>
  );
}

/** Listens to what changes, for all pages below, as long as the same person is signed in. */
function LiveUpdates({ children }: { children: ReactNode }) {
  const { user } = useMe();
  const queries = useQueryClient();
  const [live, setLive] = useState<Live | null>(null);
  useEffect(() => {
    const started = new Live(user.id, queries, reloadSignedOut);
    started.start();
    setLive(started);
    return () => started.stop();
  }, [user.id, queries]);
  return <LiveContext.Provider value={live}>{children}</LiveContext.Provider>;
}

/** The sign-in ended while a page was open: one signs in over the page, so that what was typed stays. */
function SessionLostDialog() {
  const { signedOut, signedOutWhy } = useSyncExternalStore(subscribeConnection, readConnection);
  return (
    <Modal
      opened={signedOut}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title="You have been signed out"
    >
      {signedOutWhy === null ? null : <Text mb="md">{signedOutWhy}</Text>}
      <SignInChoices overPage />
    </Modal>
  );
}
