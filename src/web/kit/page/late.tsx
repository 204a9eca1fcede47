import { Component, Suspense, type ReactNode } from 'react';
import { isOfLoading, NotLoaded } from '../../layout/page-error.tsx';

/**
 * Shows parts whose code is loaded when they are needed. If it can't be loaded, only these parts show the error: the
 * page and its input stay.
 */
export class Late extends Component<{ children: ReactNode; fallback?: ReactNode }, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return <Suspense fallback={this.props.fallback}>{this.props.children}</Suspense>;
    if (isOfLoading(error)) return <NotLoaded />;
    throw error;
  }
}
