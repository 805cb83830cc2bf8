/** A defect of one page leaves the rest of the UI standing. */
import { Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { StateView } from '../components/state-views.tsx';

interface State {
  failed: boolean;
}

export class ErrorBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { failed: false };

  static getDerivedStateFromError(): State {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) {
      return this.props.children;
    }
    return (
      <StateView
        role="alert"
        title="This page failed"
        text="It is a defect of the page; the platform goes on."
      >
        <Button variant="default" onClick={() => window.location.reload()}>
          Load the page again
        </Button>
      </StateView>
    );
  }
}
