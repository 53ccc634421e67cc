//! Bounds on the time that a surface shader takes.
//!
//! Every loop must count an integer up to a constant in constant steps, as loops of throng's trusted passes do. The turns
//! of loops within loops multiply, and a call costs what its function does. Functions cannot call themselves in WGSL.
//! Operations count, too: a long text within a loop takes long.

use naga::{
    BinaryOperator, Block, Expression, Function, Handle, Literal, LocalVariable, Module, Scalar, Span, Statement,
    TypeInner,
};

use super::{MOST_STEPS, SurfaceShaderFault as Fault};

/// Refuses loops that may not end, and functions with too many steps. Gives the place and the fault.
pub(super) fn check(module: &Module) -> Result<(), (Span, Fault)> {
    let mut costs: Vec<u64> = Vec::new();
    // Functions come after those that they call.
    for (handle, function) in module.functions.iter() {
        let steps = StepCounter {
            module,
            function,
            costs: &costs,
        };
        let steps = steps.of(&function.body)?;
        if steps > MOST_STEPS {
            let function = function.name.clone().unwrap_or_default();
            return Err((module.functions.get_span(handle), Fault::Steps { function, steps }));
        }
        costs.push(steps);
    }
    Ok(())
}

/// Blocks within a statement.
pub(super) fn blocks(statement: &Statement) -> Vec<&Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter().map(|case| &case.body).collect(),
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        _ => Vec::new(),
    }
}

/// True if a block computes an expression itself. A `let` before the loop keeps one value for all turns.
fn computes(block: &Block, expression: Handle<Expression>) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Emit(range) => range.clone().any(|emitted| emitted == expression),
        _ => false,
    })
}

/// Counter of the steps of a function.
struct StepCounter<'a> {
    module: &'a Module,
    function: &'a Function,
    /// Steps of the functions before.
    costs: &'a [u64],
}

/// Use of a local variable that may change it.
#[derive(PartialEq)]
enum Write {
    /// The variable is set to this value.
    Store(Handle<Expression>),
    /// A function gets a pointer to it.
    Lent,
}

impl StepCounter<'_> {
    /// Operations, turns of loops and calls in a block, if every branch were taken.
    fn of(&self, block: &Block) -> Result<u64, (Span, Fault)> {
        let mut steps = 0_u64;
        for (statement, &place) in block.span_iter() {
            let within = blocks(statement)
                .into_iter()
                .try_fold(0_u64, |sum, block| Ok(sum.saturating_add(self.of(block)?)))?;
            let own = match statement {
                Statement::Loop { body, continuing, .. } => {
                    let turns = self.turns(body, continuing).ok_or((place, Fault::Loop))?;
                    turns.saturating_mul(within.saturating_add(1))
                }
                Statement::Call { function, .. } => {
                    let of_function = self.costs.get(function.index()).copied();
                    of_function.unwrap_or(u64::MAX).saturating_add(1)
                }
                Statement::Emit(operations) => operations.clone().count() as u64,
                _ => within,
            };
            steps = steps.saturating_add(own);
        }
        Ok(steps)
    }

    /// Largest number of turns of a loop; `None` if it is not certain.
    fn turns(&self, body: &Block, continuing: &Block) -> Option<u64> {
        let (counter, end) = self.counter_and_end(body)?;
        let (update, step) = self.update(counter, continuing)?;
        if self.writes(counter, body).next().is_some() || self.writes(counter, continuing).count() != 1 {
            return None;
        }
        // All other stores are constants, of which one may be the start.
        let mut start = match self.function.local_variables[counter].init {
            Some(init) => self.constant(init)?,
            None => 0,
        };
        for write in self.writes(counter, &self.function.body) {
            match write {
                Write::Store(value) if value == update => {}
                Write::Store(value) => start = start.min(self.constant(value)?),
                Write::Lent => return None,
            }
        }
        // The step beyond the end must not wrap around.
        let ends = end.checked_add(step)? <= i64::from(i32::MAX);
        let turns = (end.checked_sub(start)?.max(0) as u64).div_ceil(step as u64);
        ends.then_some(turns)
    }

    /// Integer that a loop compares with a constant before everything else, and the first value that ends it.
    fn counter_and_end(&self, body: &Block) -> Option<(Handle<LocalVariable>, i64)> {
        let first = body.iter().find(|statement| !matches!(statement, Statement::Emit(_)))?;
        let Statement::If {
            condition,
            accept,
            reject,
        } = first
        else {
            return None;
        };
        let leaves = accept.is_empty() && matches!(&reject[..], [Statement::Break]) && computes(body, *condition);
        let Expression::Binary { op, left, right } = self.function.expressions[*condition] else {
            return None;
        };
        let counter = self.loaded(left).filter(|_| leaves && computes(body, left))?;
        let end = self.constant(right)?;
        match op {
            BinaryOperator::Less => Some((counter, end)),
            BinaryOperator::LessEqual => Some((counter, end.checked_add(1)?)),
            _ => None,
        }
    }

    /// New value of the counter after each turn, and its step.
    fn update(&self, counter: Handle<LocalVariable>, continuing: &Block) -> Option<(Handle<Expression>, i64)> {
        continuing.iter().find_map(|statement| {
            let Statement::Store { pointer, value } = *statement else {
                return None;
            };
            let Expression::Binary {
                op: BinaryOperator::Add,
                left,
                right,
            } = self.function.expressions[value]
            else {
                return None;
            };
            let step = self.constant(right).filter(|&step| step > 0)?;
            let counts = self.variable(pointer) == Some(counter) && self.loaded(left) == Some(counter);
            (counts && computes(continuing, value) && computes(continuing, left)).then_some((value, step))
        })
    }

    /// Every statement in a block that may change a variable.
    fn writes<'b>(&'b self, variable: Handle<LocalVariable>, block: &'b Block) -> Box<dyn Iterator<Item = Write> + 'b> {
        let of_statement = move |statement: &'b Statement| -> Box<dyn Iterator<Item = Write> + 'b> {
            match statement {
                Statement::Store { pointer, value } if self.variable(*pointer) == Some(variable) => {
                    Box::new(std::iter::once(Write::Store(*value)))
                }
                Statement::Call { arguments, .. } => {
                    let lent = arguments.iter().filter(move |&&a| self.variable(a) == Some(variable));
                    Box::new(lent.map(|_| Write::Lent))
                }
                _ => Box::new(
                    blocks(statement)
                        .into_iter()
                        .flat_map(move |block| self.writes(variable, block)),
                ),
            }
        };
        Box::new(block.iter().flat_map(of_statement))
    }

    /// Integer variable that an expression loads.
    fn loaded(&self, expression: Handle<Expression>) -> Option<Handle<LocalVariable>> {
        let Expression::Load { pointer } = self.function.expressions[expression] else {
            return None;
        };
        let variable = self.variable(pointer)?;
        let ty = &self.module.types[self.function.local_variables[variable].ty].inner;
        matches!(ty, TypeInner::Scalar(scalar) if [Scalar::I32, Scalar::U32].contains(scalar)).then_some(variable)
    }

    /// Variable that a pointer is to.
    fn variable(&self, pointer: Handle<Expression>) -> Option<Handle<LocalVariable>> {
        match self.function.expressions[pointer] {
            Expression::LocalVariable(variable) => Some(variable),
            _ => None,
        }
    }

    fn constant(&self, expression: Handle<Expression>) -> Option<i64> {
        let value = match self.function.expressions[expression] {
            Expression::Constant(constant) => &self.module.global_expressions[self.module.constants[constant].init],
            ref other => other,
        };
        match *value {
            Expression::Literal(Literal::I32(value)) => Some(value.into()),
            Expression::Literal(Literal::U32(value)) => Some(value.into()),
            Expression::ZeroValue(_) => Some(0),
            _ => None,
        }
    }
}
