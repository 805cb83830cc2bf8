/** Keeps the rest of the UI working when one page fails. */
import { Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { StateView } from '../components/state-views.tsx';
import { PageNotLoaded } from './load-page.ts';

interface State {
  error: unknown;
}

const nothing = Symbol('nothing failed');

export class ErrorBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { error: nothing };

  static getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === nothing) {
      return this.props.children;
    }
    return (
      <StateView role="alert" {...textOf(error)}>
        <Button variant="default" onClick={() => window.location.reload()}>
          Reload page
        </Button>
      </StateView>
    );
  }
}

function textOf(error: unknown): { title: string; text: string } {
  if (!(error instanceof PageNotLoaded)) {
    return { title: 'This page crashed', text: 'The platform itself is not affected.' };
  }
  return error.isOutdated
    ? {
        title: 'A new version is available',
        text: 'Reload the page to use it. What you typed is kept.',
      }
    : {
        title: 'This page could not be loaded',
        text: 'The platform is reachable, but did not send this page.',
      };
}
