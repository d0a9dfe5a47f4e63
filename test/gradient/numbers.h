/* Numbers of models with an element of each type, and of built-in models, by which runs are differentiated. */
#ifndef TEST_GRADIENT_NUMBERS_H
#define TEST_GRADIENT_NUMBERS_H

static const struct numbers {
    const char *model;
    int element; /* 1: a file of an element type; 2: one of this folder; 0: a built-in model */
    const char *by;
} numbers[] = {
    {"armature.json", 1,
     "bodies.arm.mass bodies.arm.inertia.0 J bodies.arm.position.0 joints.A.point.0 joints.A.axis.0 "
     "forces.rotor.inertia"},
    {"drives.json", 1,
     "bodies.a.mass bodies.a.inertia.0 bodies.a.velocity.0 bodies.b.mass bodies.b.inertia.0 bodies.b.velocity.0 "
     "bodies.c.mass bodies.c.inertia.0 bodies.c.velocity.0 bodies.d.mass bodies.d.inertia.0 bodies.d.velocity.0 "
     "joints.base.point.0 joints.pin.point.0"},
    {"expressions.json", 1,
     "A om n bodies.a.mass bodies.a.position.0 bodies.a.inertia.0 bodies.a.com.0 bodies.b.mass bodies.b.position.0 "
     "bodies.b.inertia.0 bodies.b.velocity.0 bodies.b.angular_velocity.0 joints.pin.point.0 joints.pin.axis.0"},
    {"forces.json", 1,
     "bodies.a.mass bodies.a.com.0 bodies.b.mass bodies.b.com.0 joints.pin.point.0 forces.hold.damping.0 "
     "forces.cartesian.reference.0 forces.drag.frame.0 forces.jet.vector.0 forces.spin.vector.0 forces.friction.slip "
     "forces.pid.stiffness forces.spring.point_a.0 forces.spring.cubic"},
    {"functions.json", 1,
     "bodies.m_constant.mass bodies.m_harmonic.mass bodies.m_polynomial.mass bodies.m_step.mass bodies.m_ramp.mass "
     "bodies.m_table.mass bodies.m_linear.mass bodies.m_periodic.mass bodies.m_file.mass bodies.m_sum.mass "
     "bodies.m_product.mass forces.x_constant.stiffness forces.x_step.stiffness forces.x_linear.stiffness"},
    {"gears.json", 1,
     "d bodies.carrier.inertia.0 bodies.carrier.angular_velocity.2 bodies.sun.inertia.0 bodies.sun.angular_velocity.2 "
     "bodies.planet.inertia.0 bodies.ring.mass bodies.ring.position.0 bodies.output.inertia.0 bodies.fan.mass "
     "bodies.fan.position.0 joints.C.point.0 joints.S.point.0 joints.R.axis.0"},
    {"joints_1.json", 1,
     "bodies.a.mass bodies.a.inertia.0 bodies.a.velocity.0 bodies.b1.mass bodies.b1.inertia.0 bodies.b1.velocity.0 "
     "bodies.b2.mass bodies.b2.inertia.0 bodies.b2.velocity.0 bodies.b3.mass bodies.b3.inertia.0 bodies.b3.velocity.0 "
     "bodies.b4.mass bodies.b4.inertia.0"},
    {"joints_2.json", 1,
     "bodies.a.mass bodies.a.inertia.0 bodies.a.velocity.0 bodies.b1.mass bodies.b1.inertia.0 bodies.b1.velocity.0 "
     "bodies.b2.mass bodies.b2.inertia.0 bodies.b2.velocity.0 bodies.b3.mass bodies.b3.inertia.0 bodies.b3.velocity.0 "
     "bodies.b4.mass bodies.b4.inertia.0"},
    {"joints_4.json", 1,
     "bodies.a.mass bodies.a.inertia.0 bodies.a.velocity.0 bodies.b1.mass bodies.b1.inertia.0 bodies.b1.velocity.0 "
     "bodies.b2.mass bodies.b2.inertia.0 bodies.b2.velocity.0 bodies.b3.mass bodies.b3.inertia.0 bodies.b3.velocity.0 "
     "joints.parallel_axes.point.0 joints.generic.point.0"},
    {"joints_3.json", 1,
     "bodies.a.mass bodies.a.inertia.0 bodies.a.velocity.0 bodies.b1.mass bodies.b1.inertia.0 bodies.b1.velocity.0 "
     "bodies.b2.mass bodies.b2.inertia.0 bodies.b2.velocity.0 bodies.b3.mass bodies.b3.inertia.0 bodies.b3.velocity.0 "
     "bodies.b4.mass bodies.b4.inertia.0"},
    {"laws.json", 1,
     "c1 relax bodies.a.position.0 bodies.a.com.0 bodies.a.angular_velocity.0 bodies.b.position.0 bodies.b.com.0 "
     "bodies.b.angular_velocity.0 bodies.e.position.0 bodies.e.angular_velocity.0 joints.pin.axis.0 "
     "forces.hold.stiffness.0 forces.far.point_a.0 forces.pressure.initial"},
    {"planar.json", 1,
     "bodies.a.mass bodies.a.com.0 bodies.a.angular_velocity bodies.b.inertia bodies.b.velocity.0 bodies.c.position.0 "
     "bodies.c.rotation bodies.d.mass bodies.d.com.0 bodies.d.angular_velocity bodies.e.velocity.0 joints.slide.axis.0 "
     "forces.hold.stiffness.0 forces.coil.damping"},
    {"planar_se2.json", 1,
     "bodies.a.mass bodies.a.com.0 bodies.a.angular_velocity bodies.b.inertia bodies.b.velocity.0 bodies.c.position.0 "
     "bodies.c.rotation bodies.d.mass bodies.d.com.0 bodies.d.angular_velocity bodies.e.velocity.0 joints.slide.axis.0 "
     "forces.hold.stiffness.0 forces.coil.damping"},
    {"rolling.json", 1,
     "bodies.plate.mass bodies.plate.inertia.0 bodies.plate.velocity.0 bodies.disk.mass bodies.disk.inertia.0 "
     "bodies.disk.velocity.0 bodies.sphere.mass bodies.sphere.inertia.0 bodies.sphere.velocity.0 bodies.cart.mass "
     "bodies.cart.inertia.0 bodies.cart.velocity.0 joints.rolling_disk.radius joints.wheel.radius"},
    {"rotation_vector.json", 1, "m w bodies.top.inertia.0 bodies.loose.angular_velocity.0 bodies.loose.com.0"},
    {"rows.json", 1,
     "k bodies.a.mass bodies.a.position.0 bodies.a.inertia.0 bodies.a.velocity.0 bodies.a.angular_velocity.0 "
     "bodies.b.mass bodies.b.position.0 bodies.b.inertia.0 bodies.b.velocity.0 bodies.b.angular_velocity.0 "
     "forces.hold.stiffness.0 forces.hold.damping.0"},
    {"double_pendulum", 0, "m1 m2 L1 L2"},
    {"rolling_disk", 0, "m r tilt roll"},
    {"bicycle", 0, "v lean_rate w c"},
    {"rotor", 0, "spin m Jp Jt"},
    {"n_four_bar", 0, "m L"},
    {"chain", 0, "L m"},
    {"bricard", 0, "m L w"},
    {"spatial_slider_crank", 0, "c speed"},
    {"planar_slider_crank", 0, "l1 m1 k moment"},
    {"slider_crank", 0, "r l e M"},
    {"flexible_pendulum", 0,
     "gravity.0 gravity.1 gravity.2 bodies.beam.angular_velocity.0 bodies.beam.velocity.2 E bodies.beam.beam.density "
     "bodies.beam.beam.Iy"},
    {"flexible_slider_crank", 0, "r slider_mass E density l d"},
    {"elastica", 0, "P L EI EA beams.beam.section.rhoA beams.beam.section.damping"},
    {"flying_spaghetti", 0, "forces.push.vector.0 forces.turn.vector.1 functions.T.y.1 EI beams.beam.to.1"},
    {"right_angle_cantilever", 0, "forces.push.vector.0 forces.push.vector.2 beams.two.to.1"},
    {"andrews_squeezer", 0, "m1 m2"},
    {"catenary", 0, "length"},
    {"hanging_chain", 0, "length"},
    {"high_speed_rotor", 0, "m Jx"},
    {"nonholonomic_particle", 0, "bodies.particle.mass bodies.particle.velocity.0"},
    {"lee_frame", 0, "P L E A I nu"},
    {"pendulum", 0, "m L x0"},
    {"free_top", 0, "J1 J2 J3"},
    {"heavy_top", 0, "m spin J1"},
    {"flyball_governor", 0, "rod ball"},
    {"chaplygin_sleigh", 0, "m J"},
    {"rank_deficient_pendulum", 0, "m L"},
    {"helical_spring", 0, "m gravity.2 joints.guide.axis.0 d E G"},
    {"rotating_blade", 0,
     "bodies.hub.mass bodies.hub.inertia.2 functions.turn.coefficients.1 E nu density width thickness"},
    {"spinning_beam", 0, "omega L EI EA"},
    {"beam_consistent.json", 1,
     "gravity.0 gravity.2 beams.rail.to.0 beams.bar.to.2 beams.bar.section.EA beams.bar.section.rhoI "
     "beams.bar.angular_velocity.0"},
    {"beam_consistent_order.json", 1,
     "gravity.0 gravity.2 beams.mast.arc.radius beams.bar.section.1.EI beams.bar.section.0.rhoA"},
    {"beams.json", 1,
     "gravity.2 bodies.hub.mass bodies.hub.inertia.0 bodies.hub.position.0 functions.F.amplitude functions.F.omega "
     "beams.mast.section.EA beams.mast.section.damping beams.arm.section.1.EI beams.arm.section.0.rhoA "
     "beams.mast.loads.0.vector.1 beams.arm.loads.0.vector.1.1"},
    {"beams_order.json", 1,
     "gravity.0 gravity.2 beams.mast.section.EI.0 beams.arm.section.1.EI beams.branch.section.rhoA"},
    {"beam_slide.json", 1, "bodies.bead.mass"}, // at rest; bead.json is not
    {"bead.json", 2,
     "gravity.0 gravity.2 bodies.bead.mass bodies.bead.position.1 bodies.bead.velocity.0 beams.rail.section.EI "
     "beams.rail.section.rhoA"},
    {"bob.json", 1, "gravity.2"},
    {"door.json", 1, "gravity.2"},
    {"map.json", 1, "bodies.rotor.inertia"},
    {"turns.json", 1, "gravity.1 bodies.a.inertia.0 bodies.b.inertia.1 bodies.c.inertia.2 bodies.e.inertia.2"},
    {"wheels.json", 2,
     "bodies.wheel.mass forces.tyre.radius forces.tyre.stiffness forces.tyre.slip_stiffness.0 forces.tread.cone "
     "forces.tread.stiffness forces.tread.creep.0 forces.teeth.stiffness forces.teeth.pressure_angle "
     "forces.teeth.radius "
     "forces.belt.stiffness forces.belt.radius forces.rack.stiffness forces.rack.radius bodies.bar.mass "
     "bodies.c.inertia bodies.b.position.0 joints.B.point.0"},
    {"inline.json", 2,
     "joints.drive.function.end joints.drive.function.to "
     "forces.push.function.functions.1.x.1 forces.push.function.functions.1.x.3 forces.push.function.functions.1.y.2 "
     "forces.push.function.functions.0.omega bodies.ball.mass"},
    {"press.json", 2,
     "gravity.2 bodies.ball.mass bodies.ball.inertia.1 bodies.ball.position.2 bodies.ball.velocity.0 "
     "bodies.ball.angular_velocity.1 forces.floor.stiffness forces.floor.radius"},
    {"delay.json", 2, "K C gravity.2 bodies.a.mass forces.s.damping bodies.a.velocity.2"},
    {"compliant.json", 1, "gravity.2 gravity.0 k bodies.box.velocity.0"}, // it touches later: test_gradient_memory
    {"bristles.json", 1, "bodies.ball.mass"},                             // it falls
    {"flexible.json", 1, "g k c m"},
    {"flexible_shapes.json", 1, "g k c m"},
    {"flexible_rotor.json", 1, "gravity.2 bodies.beam.beam.E forces.rotor.inertia"},
    {"press.json", 1, "gravity.2 bodies.box.mass bodies.box.position.2"},
    {"beams_frame.json", 1, "gravity.2 bodies.weight.mass beams.mast.section.EA beams.brace.section.EI"},
    {"parallel.json", 1, "bodies.crank.mass bodies.coupler.inertia.2 forces.hold.stiffness forces.push.vector.0"},
    {"bricard.json", 1, "gravity.1 bodies.rod0.mass bodies.rod2.inertia.0"},
};

/* Models in which contacts or events happen: forward mode, adjoint and differences. */
static const struct contacts {
    const char *model;
    int element, events; /* at least */
    const char *of, *by, *set;
    int forward_only; /* both corners of the slider touch at once: a state with the slider turned has other events */
} with_contacts[] = {
    {"limits.json", 2, 5, "final(kinetic_energy)",
     "joints.stop.limits.1 joints.stop.restitution joints.pawl.pitch joints.tie.length joints.rub.limit bodies.a.mass "
     "gravity.2",
     "t_end=0.4", 0},
    {"release.json", 2, 1, "final(kinetic_energy)", "gravity.2 bodies.a.mass bodies.b.inertia.1", "h=0.002", 0},
    {"bouncing_ball", 0, 1, "final(kinetic_energy)", "e drop gravity.2", "t_end=1.2", 0},
    {"box_stack", 0, 0, "final(box10.position.y)", "height m", "t_end=1", 0},
    {"clearance_slider_crank", 0, 1, "final(kinetic_energy)", "l1 m1 e w1", "t_end=0.02", 1},
    {"newton_cradle", 0, 1, "final(kinetic_energy)", "m v0", "t_end=0.1", 0},
    {"rocking_block", 0, 1, "final(kinetic_energy)", "m width height tilt", "t_end=0.6", 0},
    {"tippe_top", 0, 0, "final(kinetic_energy)", "mu R m spin", "t_end=0.05", 0},
    {"woodpecker", 0, 1, "final(kinetic_energy)", "m_M c mu e", "t_end=0.05", 0},
};

/* Element files that are at rest, or at a kink: another file has their elements in motion. */
static const struct {
    const char *model, *in;
} at_rest[] = {{"delay.json", "delay.json"},    {"rack.json", "wheels.json"},   {"belt.json", "wheels.json"},
               {"mesh.json", "wheels.json"},    {"rail.json", "wheels.json"},   {"tyre.json", "wheels.json"},
               {"brake.json", "limits.json"},   {"clutch.json", "limits.json"}, {"limit.json", "limits.json"},
               {"ratchet.json", "limits.json"}, {"rope.json", "limits.json"}};

/* What has no gradient, and what is said then. */
static const struct refused {
    const char *model;
    int element;
    const char *by, *says;
} refused[] = {
    {"domino", 0, "gravity.1", "nor have groups of contacts"},
    {"gripper", 0, "gravity.1", "other rows are left out"},
};

#endif
