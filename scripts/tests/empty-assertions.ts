import ts from 'typescript';

// Assertions that hold whatever the code does: a value is compared with itself, or every element of a list is judged
// that may be empty. Vitest itself (`requireAssertions`) fails a test that runs no assertion, such as one whose loop
// ran for nothing.

/** What is wrong with an assertion, and in which line (from 1). */
export interface Complaint {
  readonly line: number;
  readonly about: string;
}

const testNames = new Set(['it', 'test']);

/** The name of the function that is called: `it` of `it(…)`, `it.each(…)(…)` and `it.skipIf(…)(…)`. */
const calledName = (node: ts.Expression): string => {
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isPropertyAccessExpression(node) || ts.isCallExpression(node)) return calledName(node.expression);
  return '';
};

const isFunction = (node: ts.Node): node is ts.ArrowFunction | ts.FunctionExpression =>
  ts.isArrowFunction(node) || ts.isFunctionExpression(node);

/** All nodes below this one. */
const nodesIn = (node: ts.Node): ts.Node[] => {
  const found: ts.Node[] = [];
  const visit = (one: ts.Node): void => {
    found.push(one);
    ts.forEachChild(one, visit);
  };
  ts.forEachChild(node, visit);
  return found;
};

interface Assertion {
  readonly node: ts.CallExpression;
  readonly actual: ts.Expression;
  readonly matcher: string;
  readonly expected: ts.Expression | undefined;
}

/** Reads `expect(actual).matcher(expected)`; `not` and the like in between are skipped. */
const assertionOf = (node: ts.Node): Assertion | undefined => {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  let inner = node.expression.expression;
  while (ts.isPropertyAccessExpression(inner)) inner = inner.expression;
  if (!ts.isCallExpression(inner) || calledName(inner.expression) !== 'expect') return undefined;
  const [actual] = inner.arguments;
  return actual && { node, actual, matcher: node.expression.name.text, expected: node.arguments[0] };
};

const comparing = new Set(['toBe', 'toEqual', 'toStrictEqual', 'toMatchObject', 'toContain', 'toContainEqual']);

/** Methods that give a part of a list, or as many things as it has. */
const derivingMethods = new Set(['slice', 'filter', 'map', 'flatMap', 'concat', 'toSpliced']);

/** The list from which a chain such as `list.filter(…).slice(0, 2)` derives; undefined for anything else. */
const sourceOf = (node: ts.Expression): ts.Expression | undefined => {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  const { expression, name } = node.expression;
  return derivingMethods.has(name.text) ? (sourceOf(expression) ?? expression) : undefined;
};

/** `page` of `page.entries`. */
const ownerOf = (node: ts.Expression): ts.Expression =>
  ts.isPropertyAccessExpression(node) ? ownerOf(node.expression) : node;

const judgeTest = (test: ts.Node, textOf: (node: ts.Node) => string): { node: ts.Node; about: string }[] => {
  const nodes = nodesIn(test);
  const assertions = nodes.flatMap((node) => assertionOf(node) ?? []);
  const calls = (node: ts.Expression) => [node, ...nodesIn(node)].some((one) => ts.isCallExpression(one));

  /** Whether another assertion of the test says something about this list, or about the thing that has it. */
  const isKnown = (list: ts.Expression, besides: Assertion): boolean => {
    if (ts.isArrayLiteralExpression(list) && list.elements.length > 0) return true;
    const text = textOf(ownerOf(sourceOf(list) ?? list));
    return assertions.some(
      (one) => one !== besides && [one.actual, ...nodesIn(one.node)].some((node) => textOf(node) === text),
    );
  };

  return assertions.flatMap((assertion) => {
    const { node, actual, matcher, expected } = assertion;
    const complain = (about: string) => [{ node, about }];
    if (expected && comparing.has(matcher)) {
      if (textOf(actual) === textOf(expected) && !calls(actual)) return complain('compares a thing with itself');
      for (const [one, other] of [
        [actual, expected],
        [expected, actual],
      ] as const) {
        const source = sourceOf(one);
        if (source && textOf(source) === textOf(other) && !isKnown(other, assertion)) {
          return complain(`compares ${textOf(other)}, which may be empty, with what is made from it`);
        }
      }
    }
    if (ts.isCallExpression(actual) && ts.isPropertyAccessExpression(actual.expression) && expected) {
      const { expression: list, name } = actual.expression;
      const holdsForNone =
        (name.text === 'every' && expected.kind === ts.SyntaxKind.TrueKeyword) ||
        (name.text === 'some' && expected.kind === ts.SyntaxKind.FalseKeyword);
      if (holdsForNone && !isKnown(list, assertion)) {
        return complain(`holds if ${textOf(list)} is empty, and nothing says that it is not`);
      }
    }
    return [];
  });
};

/** The complaints about the tests in a file. */
export const complaintsAbout = (text: string): Complaint[] => {
  const file = ts.createSourceFile('a.test.ts', text, ts.ScriptTarget.Latest, true);
  const textOf = (node: ts.Node): string => node.getText(file).replaceAll(/\s+/g, ' ');
  const bodies = nodesIn(file).flatMap((node) =>
    ts.isCallExpression(node) && testNames.has(calledName(node.expression)) ? node.arguments.filter(isFunction) : [],
  );
  return bodies
    .flatMap((body) => judgeTest(body, textOf))
    .map(({ node, about }) => ({ line: file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1, about }));
};
